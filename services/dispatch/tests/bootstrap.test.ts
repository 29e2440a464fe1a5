import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendingCarriers } from '@notify/carriers/sending'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { keyIdOf, parseKeyRing } from '@notify/privacy'
import { newWebhookSecret } from '@notify/webhook-signature'
import { loadBootstrap } from '../src/catalogue/load-bootstrap.ts'
import { findProvider } from '../src/catalogue/providers/provider-store.ts'
import { credentialsOf } from '../src/catalogue/providers/write-provider.ts'
import type { Context } from '../src/context.ts'
import { createMetrics } from '../src/metrics.ts'
import { db, env, kit } from './own-schema.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootstrap-'))
})
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true })
})

const keyRingOf = (id: string) => parseKeyRing(`${id}:${randomBytes(32).toString('base64')}`)

function contextWith(keyRing: ReturnType<typeof keyRingOf>): Context {
  return {
    db,
    log: kit.log,
    metrics: createMetrics(kit.metrics),
    wakeOutbox: () => {},
    secrets: { keyRing },
    config: { PUBLIC_URL: 'https://api.example.com' },
    carrierTable: sendingCarriers,
  } as unknown as Context
}

const provider = () => ({
  provider_id: newId('prov'),
  tenant_id: newId('ten'),
  application_id: null,
  channel: 'sms',
  kind: 'twilio',
  name: 'Main',
  priority: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), from: '+15005550006' },
})

async function load(keyRing: ReturnType<typeof keyRingOf>, providers: object[], more: object = {}): Promise<void> {
  const file = join(folder, 'bootstrap.json')
  const document = { tenants: [], applications: [], api_keys: [], events: [], providers, ...more }
  await writeFile(file, JSON.stringify(document))
  await loadBootstrap(kit, contextWith(keyRing), file)
}

/** What the audit log gets of resources whose tenant or id is this. */
async function auditedOf(id: string) {
  const rows = await db.run<{ event: { action: string; actor: object; before: object; after: object } }>(
    `select event -> 'event' as event from outbox, json_array_elements(events::json) as event
     where subject = 'dispatch.audit.recorded' and events like $1 order by id`,
    [`%${id}%`],
  )
  return rows.map(({ event: { action, actor, before, after } }) => ({ action, actor, before, after }))
}
const actor = { kind: 'system', id: 'bootstrap' }

test('a provider whose encryption key is missing is skipped and counted; the others are loaded', async () => {
  const [lost, other] = [provider(), provider()]
  await load(keyRingOf('lost'), [lost])
  await load(keyRingOf('new'), [lost, other])
  const rows = await db.run<{ id: string; credentials: Buffer }>('select id, credentials from providers')
  expect(new Map(rows.map(({ id, credentials }) => [id, keyIdOf(credentials)]))).toEqual(
    new Map([
      [lost.provider_id, 'lost'],
      [other.provider_id, 'new'],
    ]),
  )
  expect(kit.counted('notify_bootstrap_providers_skipped_total')).toBe(1)
  expect(kit.lines).toContainEqual(expect.objectContaining({ level: 50, provider_id: lost.provider_id }))
  expect(JSON.stringify(kit.lines)).not.toContain('f'.repeat(32))
})

test('changes by the bootstrap document are audited as its own, and a start without changes records nothing', async () => {
  const [keyRing, changing] = [keyRingOf('new'), provider()]
  const entries = () => auditedOf(changing.provider_id)
  await load(keyRing, [changing])
  await load(keyRing, [changing])
  const created = { action: 'provider.created', actor, before: null, after: expect.objectContaining({ name: 'Main' }) }
  expect(await entries()).toEqual([created])
  const credentials = { ...changing.credentials, auth_token: 'e'.repeat(32) }
  await load(keyRing, [{ ...changing, name: 'Other', credentials }])
  const [, changed] = await entries()
  expect(changed).toMatchObject({
    ...{ action: 'provider.changed', actor },
    before: { name: 'Main', credentials: { auth_token: '[redacted]' } },
    after: { name: 'Other', credentials: { auth_token: '[redacted]' } },
  })
})

test('a WhatsApp number of another tenant is skipped; the others are loaded', async () => {
  const number = {
    channel: 'whatsapp',
    kind: 'whatsapp_cloud',
    credentials: {
      phone_number_id: '100200300400',
      business_account_id: '500600700800',
      access_token: 'token-'.repeat(8),
    },
  }
  const [first, second, other] = [{ ...provider(), ...number }, { ...provider(), ...number }, provider()]
  await load(keyRingOf('one'), [first, second, other])
  const rows = await db.run<{ id: string }>('select id from providers where id = any($1)', [
    [first, second, other].map(({ provider_id }) => provider_id),
  ])
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([first.provider_id, other.provider_id]))
})

test('a WhatsApp number of the document without a rate gets the default of its kind, with null none', async () => {
  const account = { business_account_id: '500600700800', access_token: 'token-'.repeat(8) }
  const number = (phone_number_id: string) => ({
    ...{ ...provider(), channel: 'whatsapp', kind: 'whatsapp_cloud' },
    credentials: { ...account, phone_number_id },
  })
  const [usual, unlimited] = [number('100200300401'), { ...number('100200300402'), rate_limit_per_second: null }]
  await load(keyRingOf('one'), [usual, unlimited])
  const rateOf = async ({ tenant_id, provider_id }: typeof usual) =>
    (await findProvider(db.run, tenant_id, provider_id))?.rate_limit_per_second
  expect([await rateOf(usual), await rateOf(unlimited)]).toEqual([80, null])
})

test('a provider of the document keeps its account; the others are loaded', async () => {
  const [keyRing, known, other] = [keyRingOf('one'), provider(), provider()]
  await load(keyRing, [known])
  const credentials = { ...known.credentials, account_sid: `AC${'1'.repeat(32)}` }
  await load(keyRing, [{ ...known, name: 'Renamed', credentials }, other])
  expect(await findProvider(db.run, known.tenant_id, known.provider_id)).toMatchObject({ name: known.name })
  expect(await findProvider(db.run, other.tenant_id, other.provider_id)).toBeDefined()
})

test('a webhook secret that the document replaces signs on for a day, and loading it again changes nothing', async () => {
  const [first, second] = [newWebhookSecret(), newWebhookSecret()]
  const hooks = { ...provider(), channel: 'webhook', kind: 'webhook' }
  const keyRing = keyRingOf('hooks')
  const stored = async () => {
    const row = (await findProvider(db.run, hooks.tenant_id, hooks.provider_id))!
    return { revision: row.revision, credentials: credentialsOf(contextWith(keyRing), row) }
  }
  await load(keyRing, [{ ...hooks, credentials: { secret: first, retry_delays: '5s' } }])
  const replaced = { ...hooks, credentials: { secret: second } }
  for (let times = 0; times < 2; times++) {
    await load(keyRing, [replaced])
    const { previous_until, ...credentials } = (await stored()).credentials
    expect(credentials).toEqual({ secret: second, previous_secret: first })
    expect(Math.round((Date.parse(previous_until!) - Date.now()) / 3_600_000)).toBe(24)
  }
  expect((await stored()).revision).toBe(2)
})

test('topics and the events that name them follow the document, and a repeated start writes nothing', async () => {
  const owner = { tenant_id: newId('ten'), application_id: newId('app') }
  const topic = { ...owner, topic_key: 'offers', name: 'Offers', channels: ['email'] }
  const templates = { email: { subject: 'New', body: 'New lamps' } }
  const event = { ...owner, event_key: 'offers.weekly', name: 'Weekly', status: 'published', version: 1, templates }
  const events = [{ ...event, allowed_channels: ['email'], topic: 'offers' }]
  const start = (topics: object[]) => load(keyRingOf('topics'), [], { topics, events })
  const stored = () =>
    db.run(
      `select t.name, t.kind, t.updated_by, t.xmin::text, t.updated_at, e.topic, e.xmin::text as event_xmin, e.updated_at as event_at,
         v.topic as version_topic
       from topics t join events e using (application_id) join event_versions v using (application_id)
       where t.application_id = $1`,
      [owner.application_id],
    )
  await start([topic])
  const [first] = await stored()
  expect(first).toMatchObject({
    name: 'Offers',
    kind: 'on',
    updated_by: null,
    topic: 'offers',
    version_topic: 'offers',
  })
  await start([topic])
  expect(await stored()).toEqual([first])
  expect(await auditedOf(owner.tenant_id)).toMatchObject([
    { action: 'topic.created', actor, before: null, after: { topic_key: 'offers', name: 'Offers' } },
    { action: 'event.created', actor, before: null, after: { event_key: 'offers.weekly', topic: 'offers' } },
  ])
  await start([{ ...topic, name: 'Discounts', kind: 'off' }])
  expect((await auditedOf(owner.tenant_id)).slice(2)).toEqual([
    {
      action: 'topic.changed',
      actor,
      before: { name: 'Offers', kind: 'on' },
      after: { name: 'Discounts', kind: 'off' },
    },
  ])
})

test('a document does not contradict what operators have changed: that part is skipped, the others are loaded', async () => {
  const owner = { tenant_id: newId('ten'), application_id: newId('app') }
  const topic = { ...owner, topic_key: 'offers', name: 'Offers', channels: ['email', 'sms'] }
  const other = { ...topic, topic_key: 'news', name: 'News' }
  const templates = { email: { subject: 'New', body: 'New lamps' }, sms: { body: 'New lamps' } }
  const event = { ...owner, name: 'Weekly', status: 'published', version: 1, templates, allowed_channels: ['email'] }
  const weekly = { ...event, event_key: 'weekly', topic: 'offers', allowed_channels: ['sms'] }
  const daily = { ...event, event_key: 'daily', topic: 'news' }
  const start = (topics: object[], events: object[]) => load(keyRingOf('topics'), [], { topics, events })
  await start([topic, other], [weekly, daily])
  await db.run(`update events set updated_by = 'operator' where application_id = $1 and event_key = 'weekly'`, [
    owner.application_id,
  ])
  await db.run(
    `update topics set updated_by = 'operator', channels = '{email}' where application_id = $1 and topic_key = 'news'`,
    [owner.application_id],
  )
  const before = kit.lines.length
  await start(
    [{ ...topic, channels: ['email'] }, other],
    [
      { ...weekly, allowed_channels: ['email'] },
      { ...daily, allowed_channels: ['email', 'sms'] },
      { ...event, event_key: 'monthly', topic: 'offers' },
    ],
  )
  expect(
    await db.run('select topic_key, channels from topics where application_id = $1 order by topic_key', [
      owner.application_id,
    ]),
  ).toEqual([
    { topic_key: 'news', channels: ['email'] },
    { topic_key: 'offers', channels: ['email', 'sms'] },
  ])
  expect(
    await db.run('select event_key, allowed_channels from events where application_id = $1 order by event_key', [
      owner.application_id,
    ]),
  ).toEqual([
    { event_key: 'daily', allowed_channels: ['email'] },
    { event_key: 'monthly', allowed_channels: ['email'] },
    { event_key: 'weekly', allowed_channels: ['sms'] },
  ])
  const skipped = kit.lines.slice(before).filter(({ level }) => level === 50)
  expect(skipped).toMatchObject([
    { topic_key: 'offers', err: { code: 'topic_in_use' } },
    { event_key: 'daily', err: { code: 'channel_not_allowed' } },
  ])
})

test('a topic that stays locked is not skipped: the document is loaded again', async () => {
  const owner = { tenant_id: newId('ten'), application_id: newId('app') }
  const topicsNamed = (name: string) =>
    ['first', 'second'].map((topic_key) => ({ ...owner, topic_key, name, channels: ['email'] }))
  const start = (name: string) => load(keyRingOf('topics'), [], { topics: topicsNamed(name) })
  await start('Old')
  const before = kit.lines.length
  const messages = () => kit.lines.slice(before).map(({ msg }) => msg)
  const holder = await env.admin.connect()
  try {
    await holder.query('begin')
    const lock = `select from dispatch.topics where application_id = $1 and topic_key = 'first' for update`
    await holder.query(lock, [owner.application_id])
    const loading = start('New')
    await eventually(() => expect(messages()).toContain('loading failed; retrying'))
    await holder.query('rollback')
    await loading
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(messages()).not.toContain('part of the bootstrap document skipped; it stays unchanged')
  expect(await db.run('select name from topics where application_id = $1', [owner.application_id])).toEqual([
    { name: 'New' },
    { name: 'New' },
  ])
})

test('a topic and its event give up a channel together', async () => {
  const owner = { tenant_id: newId('ten'), application_id: newId('app') }
  const topic = { ...owner, topic_key: 'offers', name: 'Offers', channels: ['email', 'sms'] }
  const templates = { email: { subject: 'New', body: 'New lamps' }, sms: { body: 'New lamps' } }
  const event = { ...owner, event_key: 'weekly', name: 'Weekly', status: 'published', version: 1, templates }
  const start = (channels: string[]) =>
    load(keyRingOf('topics'), [], {
      topics: [{ ...topic, channels }],
      events: [{ ...event, topic: 'offers', allowed_channels: channels }],
    })
  await start(['email', 'sms'])
  await start(['email'])
  expect(
    await db.run(
      'select channels, allowed_channels from topics join events using (application_id) where application_id = $1',
      [owner.application_id],
    ),
  ).toEqual([{ channels: ['email'], allowed_channels: ['email'] }])
})

test.each([
  [
    'an event whose topic the document has not',
    { events: [{ topic: 'offers' }] },
    'events.0.topic names no topic of the application in the document',
  ],
  [
    'an event that is sent by a channel which its topic does not list',
    {
      topics: [{ topic_key: 'offers', name: 'Offers', channels: ['sms'] }],
      events: [{ topic: 'offers', allowed_channels: ['email'] }],
    },
    'events.0.allowed_channels must not name email, which the topic offers does not list',
  ],
  ['a topic that is there twice', { topics: [{}, {}] }, 'topics.1.topic_key must not be that of another topic'],
  ['a topic whose key is no key', { topics: [{ topic_key: 'a b' }] }, 'topics.0.topic_key must be 1 to 64 letters'],
  ['a topic for no channel', { topics: [{ channels: [] }] }, 'topics.0.channels'],
])(
  '%s ends the start, naming the field, and nothing is written',
  async (_, { topics = [], events = [] }: { topics?: object[]; events?: object[] }, message) => {
    const owner = { tenant_id: newId('ten'), application_id: newId('app') }
    const topic = { ...owner, topic_key: 'news', name: 'News', channels: ['email'] }
    const event = {
      ...owner,
      event_key: 'a',
      name: 'A',
      status: 'published',
      version: 1,
      allowed_channels: ['email'],
      templates: {},
    }
    const document = {
      topics: topics.map((one) => ({ ...topic, ...one })),
      events: events.map((one) => ({ ...event, ...one })),
    }
    await expect(load(keyRingOf('bad'), [], document)).rejects.toThrow(message)
    expect(await db.run('select 1 from topics where tenant_id = $1', [owner.tenant_id])).toEqual([])
  },
)
