import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../console/build-console.ts'
import { type DevFile, describeStack, removeDevFile, writeDevFile } from '../dev-file.ts'
import type { Stack } from '../stack/stack.ts'
import { startStack } from '../stack/start-stack.ts'
import { messageOf } from '../startup-error.ts'
import { Lock } from './lock.ts'
import { progressPrinter } from './progress.ts'
import { readOptions } from './read-options.ts'
import { onSignals } from './signals.ts'
import { summary } from './summary.ts'

/** `npm start`: the whole system until Ctrl-C. */
export async function runDevelopment(root: string, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const say = progressPrinter()
  const dataDir = join(root, '.local')
  const stopRequest = new AbortController()
  let lock: Lock | undefined
  let stack: Stack | undefined
  onSignals({
    onStop: (signal) => {
      say(`${signal}: stopping everything; again to end at once`)
      stopRequest.abort()
      if (lock) removeDevFile(dataDir)
    },
    onKill: () =>
      void killAll(stack).finally(() => {
        lock?.release()
        process.exit(130)
      }),
  })
  try {
    const { portBase, reset, postgresUrl, natsUrl, redisUrl } = readOptions(args, process.env)
    mkdirSync(dataDir, { recursive: true, mode: 0o755 })
    lock = await Lock.take(dataDir, `http://127.0.0.1:${portBase}`, say)
    const held = lock
    removeDevFile(dataDir)
    // The system runs without the console; its faults are reported.
    const built = buildConsole(root, say).catch((error) => say(messageOf(error)))
    let dev: DevFile | undefined
    stack = await startStack({
      root,
      dataDir,
      portBase,
      reset,
      ...(postgresUrl ? { sharedPostgres: postgresUrl } : {}),
      ...(natsUrl ? { natsUrl } : {}),
      ...(redisUrl ? { redisUrl } : {}),
      logs: 'pretty',
      reviveCrashed: true,
      onProgress: say,
      signal: stopRequest.signal,
      onStack: (made) => {
        stack = made
      },
      onProcess: (name, pid) => {
        held.add(name, pid)
        if (!dev || stopRequest.signal.aborted) return
        dev = { ...dev, pids: { ...dev.pids, [name]: pid } }
        writeDevFile(dataDir, dev)
      },
    })
    dev = await describeStack(stack)
    await built
    stopRequest.signal.throwIfAborted()
    writeDevFile(dataDir, dev)
    say('everything is ready')
    process.stdout.write(summary(dev, dataDir))
    await aborted(stopRequest.signal)
  } catch (error) {
    if (!stopRequest.signal.aborted) {
      process.exitCode = 1
      process.stderr.write(`npm start: ${messageOf(error)}\n`)
      if (process.env.DEBUG) console.error(error)
    }
  }
  // Without the lock, the files are another run's.
  if (!lock) return
  removeDevFile(dataDir)
  await stack?.stop()
  lock.release()
  if (stopRequest.signal.aborted) say('everything is stopped')
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  // A listener alone would not keep the process alive once every child has crashed.
  const alive = setInterval(() => {}, 60_000)
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      clearInterval(alive)
      resolve()
    })
  })
}

async function killAll(stack: Stack | undefined): Promise<void> {
  process.stdout.write('ending everything at once\n')
  await stack?.killAll()
}
