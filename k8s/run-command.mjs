// Runs a command of a service as a Job, with the image, the environment and the rights of a Deployment, which may be scaled to zero.
//
//   node k8s/run-command.mjs otp after-restore --sent-until 2026-11-22T03:00:00Z
//
// Plain JavaScript without dependencies, on Node 20 or later. NAMESPACE is `notify` unless set; the Job is deleted an hour later.
import { spawnSync } from 'node:child_process'
import process from 'node:process'

const [, , deployment, ...command] = process.argv
const namespace = process.env.NAMESPACE ?? 'notify'

if (!deployment || command.length === 0) {
  console.error('usage: node k8s/run-command.mjs <deployment> <command> [option …]')
  process.exitCode = 1
} else {
  const job = jobOf(JSON.parse(kubectl(['get', 'deployment', deployment, '-o', 'json'])))
  const name = kubectl(['create', '-f', '-', '-o', 'name'], JSON.stringify(job)).trim()
  show(['logs', '--follow', '--pod-running-timeout=5m', name])
  // The log ends a moment before the Job does.
  process.exitCode = show(['wait', '--for=condition=complete', '--timeout=30s', name])
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
