import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { serviceNames } from '@notify/contracts'
import { type ServiceProcess, TestEnv } from '@notify/dev-env'
import { untilState } from '@notify/test-kit/api'
import { runCommand } from '@notify/test-kit/processes'
import { freshPhone, send } from '@notify/test-kit/sms'
import { deployments, ofKind, production } from './manifests.ts'
import { readText, services } from './project.ts'

const manual = readText('docs/operations.md')
/** The commands of "At night", a line each. */
const commands = [...section('At night').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text]) =>
  text!.trim().split('\n').flatMap(repetitions),
)
const queries = commands.flatMap((line) => /^psql "\$DATABASE_URL" -c "([^"$`\\]+)"$/.exec(line)?.[1] ?? [])
/** The commands of a service, also those that other sections name. */
const programs = [...commands, ...rotations()].flatMap((line) => {
  const [, process, args] =
    /^(?:kubectl -n notify exec deploy\/(?=.* -- node main\.mjs )|node k8s\/run-command\.mjs )(\S+)(?: -- node main\.mjs)? (.+)$/.exec(
      line,
    ) ?? []
  return process && args ? [{ process: process as ServiceProcess, args: args.split(' ') }] : []
})
const changes = commands.flatMap((line) => {
  const [, verb, names = '', replicas] =
    /^kubectl -n notify (scale|rollout undo)((?: deployment\/[\w-]+)+)(?: --replicas=(\d+))?$/.exec(line) ?? []
  const deployments = [...names.matchAll(/deployment\/(\S+)/g)].map(([, name]) => name!)
  return verb ? [{ verb, deployments, replicas: Number(replicas) }] : []
})
/** Of the annotation that pauses KEDA. */
const pauses = commands.flatMap((line) => {
  const [, change] =
    /^kubectl -n notify annotate scaledobjects --all (?:--overwrite )?autoscaling\.keda\.sh\/paused-replicas(.+)$/.exec(
      line,
    ) ?? []
  return change ? [{ at: commands.indexOf(line), change }] : []
})

function rotations(): string[] {
  return [...section('Rotating keys').matchAll(/^ +(kubectl -n notify exec .+)$/gm)].map(([, line]) => line!)
}

/** The commands of a loop over processes, or the one command. */
function repetitions(line: string): string[] {
  const [, names, command] = /^for process in ([\w -]+); do (.+); done$/.exec(line) ?? []
  return names && command ? names.split(' ').map((name) => command.replace('$process', name)) : [line]
}

const deadDurable = 'gateway-notification-transactional'
/** What each command prints here. */
const outputOf: Record<string, string> = {
  'dead-letters': deadDurable,
  'after-restore': 'found',
  'erase-recipient': '"count":0',
  'rotate-keys': '"rotated":0',
}

let env: TestEnv
let undelivered: string
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp', 'consent', 'inbox-stream', 'webhook-delivery'])
  undelivered = await send(env, freshPhone('0002'))
  await untilState(env, undelivered, { delivery_status: 'undelivered' })
  await env.admin.query(
    `insert into gateway.dead_letters (durable, event_id, subject, event, whole_message, reason, state)
     values ($1, 'evt', 'dispatch.notification.transactional.sms.sent', '{}', false, 'refused', 'dead')`,
    [deadDurable],
  )
})
afterAll(() => env?.stop())

function section(title: string): string {
  return new RegExp(`^## ${title}\\n([\\s\\S]*?)^## `, 'm').exec(manual)![1]!
}

/** The service of a process. */
const serviceOf = (process: string) => process.replace(/^(dispatch)-\w+$/, '$1')

/** Whether a service decrypts with the keys of the Secret `encryption`. */
const hasSharedRing = (service: string) =>
  /name: ENCRYPTION_KEYS\n\s+valueFrom: \{ secretKeyRef: \{ name: encryption,/.test(
    readText(`k8s/base/${service}/environment.yaml`),
  )

async function ask(about: string): Promise<Record<string, unknown>[]> {
  const query = queries.find((text) => text.includes(about))!
  return (await env.admin.query(query.replace('notif_…', undelivered))).rows
}

test('every question of the night has a command, and every command is one that is tried here', () => {
  const questions = section('At night').split(/^### /m).slice(1)
  expect(questions.length).toBeGreaterThanOrEqual(10)
  expect(questions.filter((text) => !text.includes('```sh'))).toEqual([])
  expect(queries.length + programs.length + changes.length + pauses.length).toBe(commands.length + rotations().length)
})

test.each(queries)('Postgres answers: %s', async (query) => {
  await expect(env.admin.query(query)).resolves.toMatchObject({ command: 'SELECT' })
})

test('the failures of a tenant, and the attempts of a message with the words of its carrier, are found', async () => {
  expect(await ask('failure_reason, count(*)')).toEqual([
    expect.objectContaining({ tenant_id: env.tenantId, channel: 'sms', count: '1' }),
  ])
  const [attempt, ...others] = await ask('a.provider_message_id')
  expect(others).toEqual([])
  expect(attempt).toMatchObject({ status: 'undelivered', number: 1, outcome: 'accepted' })
  expect(await ask('p.priority')).toEqual([
    expect.objectContaining({ kind: 'twilio', outcome: 'accepted', count: '1' }),
  ])
})

test('what waits to be sent is counted by lane and channel', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  await send(env, freshPhone(), { send_at: sendAt })
  expect(await ask("in ('queued', 'scheduled')")).toMatchObject([{ channel: 'sms', count: '1' }])
  expect(await ask("status = 'queued' group")).toEqual([])
})

test.each(programs)('$process runs $args', async ({ process, args }) => {
  expect(await runCommand(env, process, args)).toEqual({
    status: 0,
    output: expect.stringContaining(outputOf[args[0]!]!),
  })
})

test('a person is erased from every service, dispatch first', () => {
  const processes = programs.filter(({ args }) => args[0] === 'erase-recipient').map(({ process }) => process)
  expect(processes[0]).toBe('dispatch-api')
  expect(processes.map(serviceOf).toSorted()).toEqual(serviceNames.toSorted())
})

test('keys are rotated in every service that has the shared ring', () => {
  const holders = [...services].filter((service) => hasSharedRing(service))
  const rotated = programs.filter(({ args }) => args[0] === 'rotate-keys').map(({ process }) => serviceOf(process))
  expect(rotated.toSorted()).toEqual(holders.toSorted())
})

test('what is scaled and rolled back is a Deployment; what an autoscaler owns is scaled to 0 alone', () => {
  const names = deployments.map(({ metadata }) => metadata.name)
  const owned = ofKind(production, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
  const scaled = changes
    .filter(({ verb, replicas }) => verb === 'scale' && replicas !== 0)
    .flatMap((one) => one.deployments)
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.flatMap(({ deployments: scaled }) => scaled).filter((name) => !names.includes(name))).toEqual([])
  expect(scaled.filter((name) => owned.includes(name))).toEqual([])
})

test('a restore pauses KEDA before it scales to 0, and lets it go on after the last command of a service', () => {
  const stops = commands.findIndex((line) => line.endsWith(' --replicas=0'))
  const settles = commands.findLastIndex((line) => line.includes(' after-restore '))
  expect(pauses.map(({ change }) => change)).toEqual(['=0', '-'])
  const [pause, resume] = pauses.map(({ at }) => at)
  expect([pause! < stops, resume! > settles]).toEqual([true, true])
})
