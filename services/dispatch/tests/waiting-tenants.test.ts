import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { type Channel, type ConsentSubject, type Id, newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createBlindIndex, createFingerprint, parseKeyRing } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { startRenderer } from '@notify/test-kit/renderer'
import { freshPhone } from '@notify/test-kit/sms'
import type { AcceptOne } from '../src/accept/accept-candidate.ts'
import { sealRequest } from '../src/audiences/broadcasts/broadcast-request.ts'
import { runBroadcasts } from '../src/audiences/broadcasts/run-broadcasts.ts'
import { runDigests } from '../src/audiences/digests/run-digests.ts'
import { memberId, sealMember } from '../src/audiences/lists/member-content.ts'
import { payloadAad } from '../src/channels/payload-aad.ts'
import { channels } from '../src/channels/registry.ts'
import { db } from './own-schema.ts'

/** Tenants whose messages need consent, while the consent service does not answer. */
const waiting = 10

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const renderer = startRenderer()
afterAll(() => renderer.close())

let kit: TestKit
let asked: Set<string>
let consent: PromiseWithResolvers<never>
let commit: () => void
beforeEach(() => {
  kit = createTestKit('dispatch')
  asked = new Set()
  consent = Promise.withResolvers()
  consent.promise.catch(() => {})
})

const ask = ({ tenant_id }: Pick<ConsentSubject, 'tenant_id'>): Promise<never> => {
  asked.add(tenant_id)
  return consent.promise
}
const unanswered = new Problem('service_unavailable', 'The consent service did not answer')

const template = { template_name: 'news', language: 'en', category: 'utility', parameters: ['{{ total }}'] }
const event = {
  event_key: 'news',
  ...{ allowed_channels: ['sms', 'whatsapp'], translations: null, topic: null, status: 'published' },
  templates: { sms: { body: '{{ total }}' }, whatsapp: template },
  digest: { window: { seconds: 3600 }, show: 10 },
}

/** What both need of a worker's context. */
const shared = () => ({
  ...{ db, channels, renderer, log: kit.log },
  config: { HOLD_LIMIT: 3_600_000, DIGEST_LEASE: 60_000, BROADCAST_RATE: 500, WHATSAPP_CREDITS: { utility: 1 } },
  secrets: {
    keyRing,
    blindIndex: createBlindIndex(randomBytes(32)),
    fingerprint: createFingerprint(randomBytes(32)),
  },
  metrics: { digestsClosed: () => {}, acceptBatch: () => {}, accepted: () => {} },
  ...{ wakeOutbox: () => {}, wakeSenders: () => {}, watchLocks: (_: unknown, work: () => unknown) => work() },
  onCommit: (listener: () => void) => {
    commit = listener
  },
})

/** A due digest of a new tenant, with one item. @returns its id */
async function addDigest(channel: Channel): Promise<Id<'dig'>> {
  const [id, tenantId, item, phone] = [newId('dig'), newId('ten'), newId('notif'), freshPhone()]
  const recipient = { phone, ...(channel === 'whatsapp' && { opt_in_reference: 'checkout' }) }
  const request = { channel, recipient, event_key: 'news', data: {}, priority: 'transactional' }
  const aad = payloadAad(channels[channel], { id: item, tenantId, lane: 'transactional' })
  await db.run(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, event_key, recipient_masked, recipient_index,
       credits, digest_id, payload, status)
     values ($1, $2, 'app', $3, 'transactional', 'live', 'news', '+1***', $1, 0, $4, $5, 'scheduled')`,
    [item, tenantId, channel, id, keyRing.encrypt(JSON.stringify({ digest_item: 1, request }), aad)],
  )
  await db.run(
    `insert into digests (id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined,
       closes_at, due_at)
     values ($1, $2, 'app', 'live', $3, 'transactional', 'news', $1, now(), now(), 10, 1, now(), now())`,
    [id, tenantId, channel],
  )
  return id
}

/** A broadcast of a new tenant to one member, whose page is due. @returns its id */
async function addBroadcast(channel: Channel): Promise<Id<'bc'>> {
  const [id, tenantId, listId] = [newId('bc'), newId('ten'), newId('list')]
  const member = memberId(listId, 'index')
  await db.run(`insert into lists (id, tenant_id, application_id, mode, name) values ($1, $2, 'app', 'live', 'All')`, [
    listId,
    tenantId,
  ])
  await db.run(
    `insert into list_members (id, tenant_id, list_id, user_index, content) values ($1, $2, $3, 'index', $4)`,
    [member, tenantId, listId, sealMember(keyRing, { user_id: 'user-1' }, tenantId, member)],
  )
  await db.run(
    `insert into broadcasts (id, tenant_id, application_id, mode, list_id, channel, request, total)
     values ($1, $2, 'app', 'live', $3, $4, $5, 1)`,
    [id, tenantId, listId, channel, sealRequest(keyRing, { channel, event_key: 'news' }, tenantId, id)],
  )
  return id
}

const stop = async () => {
  consent.reject(unanswered)
  await kit.stop()
}
/** How many of these rows are due within seconds, long before the lease of a minute ends. */
const dueSoon = async (table: string, due: string) =>
  (
    await db.run<{ count: number }>(
      `select count(*)::int as count from ${table} where ${due} < now() + interval '10 s'`,
    )
  )[0]!.count

test(`digests of ${waiting} tenants that wait for consent delay none of another tenant, and the stop waits for them`, async () => {
  for (let tenant = 0; tenant < waiting; tenant++) await addDigest('whatsapp')
  const directory = {
    events: { findKept: async () => event },
    providers: { list: async () => [{ kind: 'twilio' }] },
    consents: { ask },
  }
  runDigests(kit, { ...shared(), directory } as unknown as Parameters<typeof runDigests>[1])
  try {
    await eventually(() => expect(asked.size).toBe(waiting))
    const own = await addDigest('sms')
    commit()
    const ended = `select n.failure_reason, (select count(*)::int from digests) as left from notifications n
      where n.digest_id = $1 and n.status = 'cancelled'`
    await eventually(async () =>
      expect(await db.run(ended, [own])).toEqual([{ failure_reason: 'digested', left: waiting }]),
    )
    expect(await dueSoon('digests', 'due_at')).toBe(0)
  } finally {
    await stop()
  }
  expect(await dueSoon('digests', 'due_at')).toBe(waiting)
})

test(`pages of ${waiting} tenants that wait for consent delay none of another tenant, and the stop waits for them`, async () => {
  for (let tenant = 0; tenant < waiting; tenant++) await addBroadcast('whatsapp')
  const acceptOne: AcceptOne = async (_, read) => {
    const { principal, request } = read(undefined)
    if (request.channel === 'sms') return { body: '{}' }
    await ask(principal).catch(() => {})
    return { problem: unanswered.toBody() }
  }
  const context = { ...shared(), acceptOne } as unknown as Parameters<typeof runBroadcasts>[1]
  runBroadcasts(kit, context, { slowdown: () => 1 })
  try {
    await eventually(() => expect(asked.size).toBe(waiting))
    const own = await addBroadcast('sms')
    commit()
    const progress = 'select status, accepted from broadcasts where id = $1'
    await eventually(async () => expect(await db.run(progress, [own])).toEqual([{ status: 'completed', accepted: 1 }]))
    expect(await dueSoon('broadcasts', 'next_page_at')).toBe(0)
  } finally {
    await stop()
  }
  expect(await dueSoon('broadcasts', 'next_page_at')).toBe(waiting)
})
