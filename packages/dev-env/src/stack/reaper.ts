import { spawn } from 'node:child_process'

/**
 * Ends a stack whose owner died without stopping it (kill -9, a crash): the owner holds the pipe to this shell, and the
 * pipe's end is the sign. Services drain by themselves (they lose their IPC channel); whatever is left after 25 s is
 * killed, then the servers are stopped and temporary folders removed.
 */
const script = `
services=' ' servers=' ' folder=''
while read -r what value; do
  case $what in
    service) services="$services$value " ;;
    server) servers="$servers$value " ;;
    ended) services=$(echo "$services" | sed "s/ $value / /"); servers=$(echo "$servers" | sed "s/ $value / /") ;;
    folder) folder=$value ;;
  esac
done
alive() { for pid in $1; do if kill -0 $pid 2>/dev/null; then return 0; fi; done; return 1; }
left=100; while [ $left -gt 0 ] && alive "$services"; do sleep 0.25; left=$((left - 1)); done
for pid in $services; do kill -KILL -$pid 2>/dev/null; done
for pid in $servers; do kill -INT $pid 2>/dev/null; done
left=40; while [ $left -gt 0 ] && alive "$servers"; do sleep 0.25; left=$((left - 1)); done
for pid in $servers; do kill -KILL -$pid 2>/dev/null; done
if [ -n "$folder" ]; then rm -rf "$folder"; fi
`

export interface Reaper {
  /** Registers a process to end with the supervisor. */
  add: (kind: 'service' | 'server', pid: number) => void
  forget: (pid: number) => void
  /** Removes this folder as well. */
  addFolder: (folder: string) => void
  /** Ends the reaper after an orderly stop. */
  dismiss: () => void
}

/** Starts the reaper; it costs one sleeping shell. */
export function startReaper(): Reaper {
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' })
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  shell.unref()
  const { stdin } = shell
  // A pipe of a child is a socket, and would keep our event loop alive.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  const say = (line: string) => void stdin.write(`${line}\n`)
  return {
    add: (kind, pid) => say(`${kind} ${pid}`),
    forget: (pid) => say(`ended ${pid}`),
    addFolder: (folder) => say(`folder ${folder}`),
    dismiss: () => void shell.kill('SIGKILL'),
  }
}
