// Runs a command of a service as a Job, with the image, the environment and the rights of a Deployment, which may be scaled to zero.
//
//   node k8s/run-command.mjs otp after-restore --sent-until 2026-11-22T03:00:00Z
//
// Plain JavaScript without dependencies, on Node 20 or later. NAMESPACE is `notify` unless set. The Job ends by itself, also when this
// program does not see it, and is deleted an hour later.
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often a Job is asked for its end after its log has ended. */
const asksAfterLog = 10
const askEveryMs = 1000

const [, , deployment, ...command] = process.argv
const namespace = process.env.NAMESPACE ?? 'notify'

if (!deployment || command.length === 0) {
  console.error('usage: node k8s/run-command.mjs <deployment> <command> [option …]')
  process.exitCode = 1
} else {
  const job = jobOf(JSON.parse(kubectl(['get', 'deployment', deployment, '-o', 'json'])))
  const name = kubectl(['create', '-f', '-', '-o', 'name'], JSON.stringify(job)).trim()
  process.exitCode = (await followToEnd(name)) === 'Complete' ? 0 : 1
}

/** Shows the log until the Job has ended; a stream that breaks is opened again. @returns its last condition */
async function followToEnd(name) {
  const follow = ['logs', '--follow', '--pod-running-timeout=5m']
  for (let brokeAtMs; ; ) {
    // By the clock of the node; a line may be shown twice.
    const since = brokeAtMs === undefined ? [] : [`--since=${Math.ceil((Date.now() - brokeAtMs) / 1000) + 1}s`]
    const broke = show([...follow, ...since, name]) !== 0
    brokeAtMs = Date.now()
    // The log ends a moment before the Job does.
    for (let asks = broke ? 1 : asksAfterLog; asks > 0; asks--) {
      const end = endOf(name)
      if (end) return end
      await sleep(askEveryMs)
    }
  }
}

/** @returns `Complete` or `Failed`; undefined while the Job runs, or nobody answers */
function endOf(name) {
  const { status, stdout, stderr } = spawnSync('kubectl', ['-n', namespace, 'get', name, '-o', 'json'], {
    encoding: 'utf8',
  })
  if (status === 0) {
    const ended = ({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed')
    return (JSON.parse(stdout).status?.conditions ?? []).find(ended)?.type
  }
  console.error(stderr?.trim() || 'kubectl does not answer')
  return /NotFound/.test(stderr ?? '') ? 'Failed' : undefined
}

/** Labels choose the network policies; without `component` no Service and no disruption budget counts the pod. */
function jobOf({ spec }) {
  const { metadata, spec: pod } = spec.template
  const { 'app.kubernetes.io/component': _, ...labels } = metadata.labels
  const [{ args: _args, ports, livenessProbe, readinessProbe, startupProbe, ...container }] = pod.containers
  const { topologySpreadConstraints, ...rest } = pod
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { generateName: `${deployment}-${command[0]}-`, labels },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: 3600,
      template: {
        metadata: { labels },
        spec: { ...rest, restartPolicy: 'Never', containers: [{ ...container, args: ['main.mjs', ...command] }] },
      },
    },
  }
}

/** @returns what kubectl prints */
function kubectl(args, input) {
  const { status, stdout, error } = spawnSync('kubectl', ['-n', namespace, ...args], {
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (status === 0) return stdout
  console.error(error ? `kubectl cannot be started: ${error.message}` : `kubectl ${args.join(' ')} failed`)
  process.exit(1)
}

/** Lets kubectl print. @returns its exit code */
function show(args) {
  return spawnSync('kubectl', ['-n', namespace, ...args], { stdio: 'inherit' }).status ?? 1
}
