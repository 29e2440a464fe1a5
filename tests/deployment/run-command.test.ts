import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Job } from 'kubernetes-models/batch/v1'
import { ofKind, production } from './manifests.ts'
import { root } from './project.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-command-'))
  // Stands in for a cluster: has the Deployments of the overlay, and keeps what is made. $ANSWERS are those to questions about the Job, in
  // order, the last one for ever; $LOGS are the exit codes of its log.
  const script = `#!/bin/sh
printf "%s\\n" "$*" >> "${folder}/calls"
asked() { grep -c -- "$1" "${folder}/calls"; }
nth() { n=$1; shift; [ $n -gt $# ] && n=$#; shift $((n - 1)); echo "$1"; }
case "$3 $4" in
  "get deployment") cat "${folder}/$5.json" || exit 1 ;;
  "get "*)
    answer=$(nth $(asked "get job.batch/made") \${ANSWERS:-Complete})
    case $answer in
      away) echo "Unable to connect to the server" >&2; exit 1 ;;
      gone) echo "Error from server (NotFound)" >&2; exit 1 ;;
      running) echo '{"status":{"conditions":[{"type":"FailureTarget","status":"True"}]}}' ;;
      *) echo '{"status":{"conditions":[{"type":"'$answer'","status":"True"}]}}' ;;
    esac ;;
  "create "*) cat > "${folder}/job.json"; echo job.batch/made ;;
  "logs "*) exit $(nth $(asked " logs --follow ") \${LOGS:-0}) ;;
esac
`
  writeFileSync(join(folder, 'kubectl'), script)
  chmodSync(join(folder, 'kubectl'), 0o755)
  for (const deployment of ofKind(production, 'Deployment')) {
    writeFileSync(join(folder, `${deployment.metadata.name}.json`), JSON.stringify(deployment))
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')

function runCommand(args: string[], variables: Record<string, string> = {}) {
  rmSync(join(folder, 'calls'), { force: true })
  return spawnSync(process.execPath, [join(root, 'k8s/run-command.mjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, ...variables },
  })
}

const command = ['after-restore', '--sent-until', '2026-11-22T03:00:00Z']

test.each(ofKind(production, 'Deployment').map((deployment) => [deployment.metadata.name, deployment] as const))(
  'a command runs as a Job with the image, the environment and the rights of %s, and no Service leads to it',
  (name, deployment) => {
    expect(runCommand([name, ...command])).toMatchObject({ status: 0, stderr: '' })
    const job = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8'))
    new Job(job).validate()
    const { metadata, spec } = job.spec.template
    const { template } = deployment.spec
    const { image, env, envFrom, securityContext, resources } = template.spec.containers[0]
    const given = { image, env, envFrom, securityContext, resources }
    expect(spec.containers).toMatchObject([{ ...given, args: ['main.mjs', ...command] }])
    expect(spec).toMatchObject({ restartPolicy: 'Never', securityContext: template.spec.securityContext })
    expect(spec.containers[0]).not.toHaveProperty('readinessProbe')
    const { 'app.kubernetes.io/component': _, ...labels } = template.metadata.labels
    expect(metadata.labels).toEqual(labels)
    expect(calls()).toContain('-n notify logs --follow --pod-running-timeout=5m job.batch/made')
  },
)

test('a command that fails, a Job or a Deployment that is not there, end with 1', () => {
  expect(runCommand(['otp', ...command], { ANSWERS: 'Failed' }).status).toBe(1)
  expect(runCommand(['otp', ...command], { ANSWERS: 'running gone' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('NotFound'),
  })
  expect(runCommand(['nobody', ...command])).toMatchObject({ status: 1, stderr: expect.stringContaining('failed') })
  expect(runCommand(['otp'])).toMatchObject({ status: 1, stderr: expect.stringContaining('usage') })
})

const logs = () => calls().filter((call) => call.includes(' logs '))

test.each([
  ['Complete', 0],
  ['Failed', 1],
])('a log that breaks is followed again until the Job is %s, which decides', (end, status) => {
  expect(runCommand(['otp', ...command], { LOGS: '1 1 0', ANSWERS: `running away ${end}` }).status).toBe(status)
  expect(logs()).toEqual([
    expect.stringMatching(/--pod-running-timeout=5m job\.batch\/made$/),
    expect.stringMatching(/ --since=[2-9]s job\.batch\/made$/),
    expect.stringMatching(/ --since=[2-9]s job\.batch\/made$/),
  ])
})

test('a log that ends before the Job does is not shown again', () => {
  expect(runCommand(['otp', ...command], { ANSWERS: 'running running Complete' }).status).toBe(0)
  expect(logs()).toHaveLength(1)
})
