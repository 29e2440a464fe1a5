import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId, schemaOf, serviceNames } from '@notify/contracts'
import { provisionServices, readerRole } from '@notify/database/provision'
import { eventually, type ServiceProcess, TestEnv } from '@notify/dev-env'
import { retry } from '@notify/test-kit/activity'
import { untilState } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { pipeCommand } from '@notify/test-kit/processes'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import pg from 'pg'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { startApiServer } from './api-server.ts'
import { deployments, environmentOf, ofKind, podLabels, production } from './manifests.ts'
import { readText, services } from './project.ts'

const run = promisify(execFile)
const manual = readText('docs/operations.md')
const night = readText('docs/night.md')
/** The lines of the commands in a text. */
const linesOf = (text: string) =>
  [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, lines]) => lines!.trim().split('\n'))
/** The commands of the night, and of what takes longer, one for each process. */
const commands = [...linesOf(night), ...linesOf(section('At night'))].flatMap(repetitions)
const queries = commands.flatMap((line) => /^psql "\$DATABASE_URL" -c "([^"$`\\]+)"$/.exec(line)?.[1] ?? [])
/** The commands of a service, also those that other sections name. */
const programs = [...commands, ...rotations()].flatMap((line) => {
  const [, input = '', process, args] =
    /^(?:echo (\S+) \| (?=.+ exec -i ))?(?:kubectl -n notify exec (?:-i )?deploy\/(?=.* -- node main\.mjs )|node k8s\/run-command\.mjs )(\S+)(?: -- node main\.mjs)? (.+)$/.exec(
      line,
    ) ?? []
  return process && args ? [{ process: process as ServiceProcess, args: args.split(' '), input }] : []
})
const changesOf = (line: string) => {
  const [, verb, names = '', replicas] =
    /^kubectl -n notify (scale|rollout undo)((?: deployment\/[\w-]+)+)(?: --replicas=(\d+))?$/.exec(line) ?? []
  const deployments = [...names.matchAll(/deployment\/(\S+)/g)].map(([, name]) => name!)
  return verb ? [{ verb, deployments, replicas: Number(replicas) }] : []
}
const changes = commands.flatMap(changesOf)
/** Of the lanes that a Deployment sends. */
const lanes = commands.flatMap((line) => {
  const [, deployment, value] = /^kubectl -n notify set env deployment\/(\S+) LANES=(\S+)$/.exec(line) ?? []
  return deployment && value ? [{ at: commands.indexOf(line), deployment, value }] : []
})
/** What looks for something in logs. */
const searches = commands.flatMap((line) => /^kubectl -n notify logs .+ \| .+$/.exec(line)?.[0] ?? [])
/** What asks a process itself. */
const probes = commands.flatMap((line) => {
  const [, deployment, script] = /^kubectl -n notify exec deploy\/(\S+) -- node -e '([^']+)'$/.exec(line) ?? []
  return deployment && script ? [{ deployment: deployment as ServiceProcess, script }] : []
})
/** What asks Kubernetes about pods. */
const lists = commands.filter((line) => line.startsWith('kubectl -n notify get pods '))
/** Of the annotation that pauses KEDA. */
const pauses = commands.flatMap((line) => {
  const [, change] =
    /^kubectl -n notify annotate scaledobjects --all (?:--overwrite )?autoscaling\.keda\.sh\/paused(=\w+|-)$/.exec(
      line,
    ) ?? []
  return change ? [{ at: commands.indexOf(line), change }] : []
})

function rotations(): string[] {
  return [
    ...section('Rotating keys').matchAll(
      /^ *((?:kubectl -n notify exec .+ rotate-keys)|(?:node k8s\/run-command\.mjs [\w-]+ reindex))$/gm,
    ),
  ].map(([, line]) => line!)
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
  consumers: '"pending":',
  'consumers --from-start': '"deleted":true',
  'after-restore': 'found',
  'erase-recipient': '"count":0',
  'rotate-keys': '"rotated":0',
  reindex: 'every blind index is under all keys',
}

let env: TestEnv
/** As the manual has people connect. */
let reader: pg.Pool
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
  // The services' roles have been provisioned with the stack.
  await provisionServices(env.stack.adminDatabaseUrl, [], { readerPassword: readerRole })
  const url = new URL(env.stack.adminDatabaseUrl)
  url.username = readerRole
  url.password = readerRole
  reader = new pg.Pool({ connectionString: url.href, max: 2 })
  await sendMoreThanAllowed()
})
afterAll(async () => {
  await reader?.end()
  await env?.stop()
})

/** A limit of its own keeps the other tests from being refused. */
async function sendMoreThanAllowed(): Promise<void> {
  const { apiKey } = await addKey(env, env, { perSecond: 1 })
  const once = () => env.api('GET', '/api/v1/me', { key: apiKey })
  const answers = await Promise.all(Array.from({ length: 8 }, once))
  expect(answers.map(({ status }) => status)).toContain(429)
}

function section(title: string): string {
  return new RegExp(`^## ${title}\\n([\\s\\S]*?)^## `, 'm').exec(manual)![1]!
}

/** The service of a process. */
const serviceOf = (process: string) => process.replace(/^(dispatch)-\w+$/, '$1')

/** Whether a service decrypts with the keys of the Secret `encryption`. */
const hasRing = (service: string) =>
  /name: ENCRYPTION_KEYS\n\s+valueFrom: \{ secretKeyRef: \{ name: (encryption|gateway),/.test(
    readText(`k8s/base/${service}/environment.yaml`),
  )

async function ask(about: string): Promise<Record<string, unknown>[]> {
  const query = queries.find((text) => text.includes(about))!
  return (await reader.query(query.replace('notif_…', undelivered))).rows
}

test('every question of the night has one command, and every command is one that is tried here', () => {
  const questions = night.split(/^## /m).slice(1)
  expect(questions.length).toBeGreaterThanOrEqual(20)
  expect(questions.filter((text) => linesOf(text).length !== 1)).toEqual([])
  const tried = [queries, programs, changes, lanes, searches, pauses, probes, lists].flat()
  expect(tried.length).toBe(commands.length + rotations().length)
})

test.each(queries)('Postgres answers the reader: %s', async (query) => {
  await expect(reader.query(query)).resolves.toMatchObject({ command: 'SELECT' })
})

test('the reader sees the open transactions of others', async () => {
  const session = await env.sql('dispatch').connect()
  try {
    await session.query('begin')
    expect(await ask('pg_stat_activity')).toContainEqual(expect.objectContaining({ state: 'idle in transaction' }))
  } finally {
    await session.query('rollback')
    session.release()
  }
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

test('waiting messages are counted by lane and channel', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  await send(env, freshPhone(), { send_at: sendAt })
  expect(await ask("in ('queued', 'scheduled')")).toMatchObject([{ channel: 'sms', count: '1' }])
  expect(await ask("status = 'queued' group")).toEqual([])
})

test('lateness counts the first attempts of live messages: not those of tests, and not what an operator repeated', async () => {
  const { apiKey } = await addKey(env, env, { mode: 'test' })
  await env.api('POST', '/api/v1/notifications', { key: apiKey, body: smsTo(freshPhone()) })
  const before = Number((await ask('as wait,'))[0]!.count)
  expect((await retry(env, undelivered)).status).toBe(202)
  await eventually(async () => expect(await ask('a.provider_message_id')).toHaveLength(2))
  const [row, ...others] = await ask('as wait,')
  expect([row, others]).toEqual([expect.objectContaining({ channel: 'sms', count: String(before) }), []])
  const { rows } = await env.admin.query(
    `select count(*)::int as count from dispatch.attempts a join dispatch.notifications n on n.id = a.notification_id
     where n.mode = 'live' and n.lane <> 'bulk' and a.number = 1`,
  )
  expect(before).toBe(rows[0].count)
  const isLater = `update dispatch.notifications set created_at = created_at - interval '40 s' where id = $1`
  expect(row).toMatchObject({ late: '0' })
  await env.admin.query(isLater, [undelivered])
  expect((await ask('as wait,'))[0]).toMatchObject({ late: '1' })
})

test('a loss of NATS that any service has noticed is found', async () => {
  expect(await ask('stream_losses')).toEqual([])
  for (const service of serviceNames)
    await env.admin.query(
      `insert into ${schemaOf(service)}.stream_losses (stream, noticed_at, last_seq, published_after, repaired_at) values ($1, now(), 1, now(), now())`,
      [service],
    )
  expect((await ask('stream_losses')).map(({ stream }) => stream).sort()).toEqual([...serviceNames].sort())
})

test('a message that was handed to a carrier twice is found', async () => {
  await untilState(env, undelivered, { delivery_status: 'undelivered' })
  expect(await ask('as unknown')).toEqual([
    expect.objectContaining({ notification_id: undelivered, channel: 'sms', accepted: '2', unknown: '0' }),
  ])
})

test('changes by the bootstrap document and by an operator are found', async () => {
  await env.api('POST', '/api/v1/applications', { token: env.operatorToken, body: { name: 'At night' } })
  const changes = await ask('gateway.audit_log')
  expect(changes[0]).toMatchObject({ actor_kind: 'operator', action: 'application.created', before: null })
  expect(changes).toContainEqual(expect.objectContaining({ actor_kind: 'system', actor_id: 'bootstrap' }))
  // The texts of a template would make each line of psql as wide as the widest.
  const widths = changes.map(({ after }) => (typeof after === 'string' ? after : JSON.stringify(after)).length)
  expect(Math.max(...widths)).toBeLessThanOrEqual(60)
})

/** Runs a line as a person does, with a kubectl that prints the log of a process. */
function search(line: string, log: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'notify-kubectl-'))
  try {
    writeFileSync(join(folder, 'log'), log)
    writeFileSync(join(folder, 'kubectl'), `#!/bin/sh\ncat '${folder}/log'\n`, { mode: 0o755 })
    const PATH = `${folder}:${process.env.PATH}`
    return spawnSync('sh', ['-c', line], { env: { PATH }, encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('tasks that fail, tenants over their limits, and what servers wait for, are found in the logs', async () => {
  const [tasks, , limits, schemas] = searches
  const failed = JSON.stringify({
    service: 'otp',
    task: 'expiry',
    err: { message: 'away' },
    msg: 'periodic task failed; …',
  })
  const counted = search(tasks!, `${failed}\n${failed}\n{"level":30}\n`)
  for (const part of ['"service":"otp"', '"task":"expiry"', '"message":"away"'])
    expect(counted).toMatch(new RegExp(`2 ${part}`))
  await eventually(() => expect(search(limits!, env.logs('gateway', 5000))).toContain(`{"${env.tenantId}":`))
  const waiting = JSON.stringify({ level: 40, reason: 'migration missing: 0014-weight', msg: 'waiting' })
  expect(search(schemas!, `${waiting}\n${waiting}\n{"level":30}\n`).trim()).toBe('2 migration missing: 0014-weight')
  const renewing = 'blind indexes are being renewed: run main.mjs reindex until it ends'
  const interrupted = waiting.replace('migration missing: 0014-weight', renewing)
  expect(search(schemas!, interrupted)).toContain(renewing)
})

test('requests that fail are counted by service, tenant, route, code and error', async () => {
  const [, requests] = searches
  const message = 'Too many requests are in progress; try again shortly'
  const failed = JSON.stringify({
    ...{ service: 'gateway', tenant_id: 'ten_1', route: 'getMe', method: 'GET', path: '/api/v1/me' },
    ...{ status: 503, code: 'service_unavailable', ms: 5000, err: { type: 'Problem', message, stack: '…' } },
    msg: 'request failed',
  })
  const counted = search(requests!, `${failed}\n${failed}\n${failed.replace('failed', 'refused')}\n`)
  const parts = [
    ...['"service":"gateway"', '"tenant_id":"ten_1"', '"method":"GET","path":"/api/v1/me"'],
    ...['"status":503,"code":"service_unavailable"', `"message":"${message}"`],
  ]
  for (const part of parts) expect(counted).toContain(`2 ${part}`)
  // A refused request has a line with the same fields.
  await env.api('GET', `/api/v1/notifications/${newId('notif')}`)
  await eventually(() => {
    const refused = search(requests!.replace('request failed', 'request refused'), env.logs('gateway', 5000))
    expect(refused).toContain(`"tenant_id":"${env.tenantId}"`)
    expect(refused).toContain('"method":"GET","path":"/api/v1/notifications/:notification_id"')
    expect(refused).toContain('"status":404,"code":"not_found"')
  })
})

test.each(programs)('$process runs $args', async ({ process, args, input }) => {
  const output = expect.stringContaining((outputOf[args.slice(0, 2).join(' ')] ?? outputOf[args[0]!])!)
  const run = async () => expect(await pipeCommand(env, process, args, { input })).toMatchObject({ status: 0, output })
  // After `--from-start` the durables are missing until the service has created them again.
  await (args.join(' ') === 'consumers' ? eventually(run) : run())
})

test('every process says whether it is ready', async () => {
  expect(probes.map(({ deployment }) => deployment).toSorted()).toEqual(
    deployments.map(({ metadata }) => metadata.name).toSorted(),
  )
  const [{ deployment, script }] = probes as [(typeof probes)[number]]
  const METRICS_PORT = new URL(env.stack.metricsUrls[deployment]!).port
  // On a busy machine Postgres may take longer than the timeout of a probe.
  await eventually(() => {
    const { stdout } = spawnSync(process.execPath, ['-e', script], {
      env: { METRICS_PORT, HOSTNAME: 'pod' },
      encoding: 'utf8',
    })
    expect(stdout).toBe('pod {"status":"ready","failures":[]}\n')
  })
})

const testWithKubectl = toolPath('kubectl') ? test : test.skip

testWithKubectl('the last end of every process is listed with its reason', async () => {
  const cluster = await startApiServer()
  const folder = mkdtempSync(join(tmpdir(), 'notify-kubectl-'))
  try {
    const [deployment] = deployments
    const terminated = { reason: 'OOMKilled', exitCode: 137, finishedAt: '2026-11-01T02:03:04Z' }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'callbacks-7d4b9c6f5d-x2x4z', labels: podLabels(deployment!) },
      status: { containerStatuses: [{ name: 'app', restartCount: 4, lastState: { terminated } }] },
    }
    await fetch(`${cluster.url}/api/v1/namespaces/notify/pods`, { method: 'POST', body: JSON.stringify(pod) })
    const KUBECONFIG = join(folder, 'config')
    const context = { clusters: [{ name: 'c', cluster: { server: cluster.url } }], 'current-context': 'c' }
    writeFileSync(KUBECONFIG, JSON.stringify({ ...context, contexts: [{ name: 'c', context: { cluster: 'c' } }] }))
    const PATH = `${dirname(toolPath('kubectl')!)}:${process.env.PATH}`
    const { stdout } = await run('sh', ['-c', lists[0]!], { env: { PATH, KUBECONFIG, HOME: folder } })
    expect(stdout.split('\n').map((line) => line.split(/\s+/))).toEqual([
      ['POD', 'RESTARTS', 'REASON', 'CODE', 'ENDED'],
      [pod.metadata.name, '4', 'OOMKilled', '137', '2026-11-01T02:03:04Z'],
      [''],
    ])
  } finally {
    await cluster.stop()
    rmSync(folder, { recursive: true })
  }
})

test('a person is erased from every service, dispatch first, without a number among the arguments', () => {
  const processes = programs.filter(({ args }) => args[0] === 'erase-recipient').map(({ process }) => process)
  expect(processes[0]).toBe('dispatch-api')
  expect(programs.filter(({ args }) => /\+\d/.test(args.join()))).toEqual([])
  expect(processes.map(serviceOf).toSorted()).toEqual(serviceNames.toSorted())
})

test('keys are rotated in every service that has a ring', () => {
  const holders = [...services].filter((service) => hasRing(service))
  const rotated = programs.filter(({ args }) => args[0] === 'rotate-keys').map(({ process }) => serviceOf(process))
  expect(rotated.toSorted()).toEqual(holders.toSorted())
})

test('indexes are renewed in every service that has the key', () => {
  const holders = [...services].filter((service) =>
    readText(`k8s/base/${service}/environment.yaml`).includes('name: BLIND_INDEX_KEY'),
  )
  const renewed = programs.filter(({ args }) => args[0] === 'reindex').map(({ process }) => serviceOf(process))
  expect(renewed.toSorted()).toEqual(holders.toSorted())
})

test('only Deployments are scaled and rolled back; those of an autoscaler are scaled to 0 only', () => {
  const names = deployments.map(({ metadata }) => metadata.name)
  const owned = ofKind(production, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)
  const scaled = changes
    .filter(({ verb, replicas }) => verb === 'scale' && replicas !== 0)
    .flatMap((one) => one.deployments)
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.flatMap(({ deployments: scaled }) => scaled).filter((name) => !names.includes(name))).toEqual([])
  expect(scaled.filter((name) => owned.includes(name))).toEqual([])
})

test('after a restore dispatch-worker sends its lane only when what came since the backup has been handled', () => {
  const worker = deployments.find(({ metadata }) => metadata.name === 'dispatch-worker')!
  const usual = environmentOf(worker).find(({ name }) => name === 'LANES')!.value
  expect(lanes.map(({ deployment, value }) => [deployment, value])).toEqual([
    ['dispatch-worker', 'otp'],
    ['dispatch-worker', usual],
  ])
  expect(usual).not.toContain('otp')
  const [begin, end] = lanes.map(({ at }) => at)
  const between = commands.slice(begin! + 1, end)
  expect(between[0]).toMatch(/^kubectl -n notify scale .*deployment\/dispatch-worker /)
  const waits = ['consent', 'dispatch-worker'].map(
    (name) => `kubectl -n notify exec deploy/${name} -- node main.mjs consumers`,
  )
  expect(between.slice(1)).toEqual(waits)
})

test('servers restart with the new list of keys before data are encrypted with it', () => {
  const lines = linesOf(section('Rotating keys').replaceAll('\n   ', '\n'))
  const restarts = lines.findIndex((line) => line.startsWith('kubectl -n notify rollout restart deployment '))
  expect(restarts).toBeGreaterThanOrEqual(0)
  expect(restarts).toBeLessThan(lines.findIndex((line) => line.endsWith(' rotate-keys')))
})

test('data are re-encrypted again before the old key is removed, because a pod that ended late may have used it', () => {
  const [, removal] = /^5\. \*\*Remove the old key\.\*\* ([\s\S]*?)\n\n/m.exec(section('Rotating keys'))!
  expect(removal).toMatch(/^Run the commands of step 3 again until each logs `"rotated":0`/)
})

test('a restore pauses KEDA before it scales to 0, and lets it go on after the last command of a service', () => {
  const stops = commands.findIndex((line) => line.endsWith(' --replicas=0'))
  const settles = commands.findLastIndex((line) => line.includes(' after-restore '))
  expect(pauses.map(({ change }) => change)).toEqual(['=true', '-'])
  const [pause, resume] = pauses.map(({ at }) => at)
  expect([pause! < stops, resume! > settles]).toEqual([true, true])
  // With a number KEDA would scale to it what the manual starts.
  expect(manual).not.toContain('paused-replicas')
})

test('KEDA, which is paused while blind indexes are renewed, is resumed when the Deployments start again', () => {
  const [, renewal] = /^### When BLIND_INDEX_KEY leaks\n([\s\S]*)/m.exec(section('Rotating keys'))!
  const [, start] = /^5\. ([\s\S]*?)\n\n/m.exec(renewal!)!
  const [resume] = pauses.slice(-1).map(({ at }) => commands[at]!)
  expect(start).toContain(`\`${resume}\``)
})

test('a restore stops every Deployment, and runs a command in a pod only of those that it has started again', () => {
  const [, restoring] = /^### Restoring a backup\n([\s\S]*?)^### /m.exec(manual)!
  const lines = linesOf(restoring!)
  const stops = lines.findIndex((line) => line.endsWith(' --replicas=0'))
  const stopped = changesOf(lines[stops]!).flatMap((change) => change.deployments)
  expect(stopped.toSorted()).toEqual(deployments.map(({ metadata }) => metadata.name).toSorted())
  const isStarted = (name: string, at: number) =>
    lines
      .slice(stops + 1, at)
      .flatMap(changesOf)
      .some((change) => change.deployments.includes(name))
  const inStoppedPods = lines.filter((line, at) => {
    const [, name] = / exec (?:-i )?deploy\/(\S+)/.exec(line) ?? []
    return at > stops && name !== undefined && !isStarted(name, at)
  })
  expect(inStoppedPods).toEqual([])
})

test('a key that a restore made valid again is refused after the statement that the manual names for it', async () => {
  const { apiKey, keyId } = await addKey(env, env)
  const use = async () => (await env.api('GET', '/api/v1/me', { key: apiKey })).status
  await eventually(async () => expect(await use()).toBe(200))
  const [, revocation] = /`(update gateway\.api_keys [^`]+)`/.exec(manual)!
  await env.sql('gateway').query(revocation!.replace('key_…', keyId))
  await eventually(async () => expect(await use()).toBe(401))
})
