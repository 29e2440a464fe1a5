import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DispatchRequest, type EventTemplates, type KeyPrincipal, newId } from '@notify/contracts'
import { nothingAllowed } from '@notify/egress-guard'
import { createBlindIndex, createFingerprint, parseKeyRing } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { startRenderer, untilRenders } from '@notify/test-kit/renderer'
import type { AcceptContext, Candidate } from '../src/accept/accept-item.ts'
import { createBatch } from '../src/accept/create-batch.ts'
import { judgeCandidate } from '../src/accept/judge-candidate.ts'
import type { PublishedEvent } from '../src/catalogue/events/event-catalogue.ts'
import type { Provider } from '../src/catalogue/providers/provider-directory.ts'
import { payloadAad } from '../src/channels/payload-aad.ts'
import { channels } from '../src/channels/registry.ts'
import { toyChannels } from './toy-channels/toy-channels.ts'

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const blindIndex = createBlindIndex(randomBytes(32))
const fingerprint = createFingerprint(randomBytes(32))
const renderer = startRenderer()
beforeAll(() => untilRenders(renderer))
afterAll(() => renderer.close())
const principal = newKeyPrincipal()
const shipped: PublishedEvent = {
  event_key: 'order.shipped',
  allowed_channels: ['sms', 'email', 'in_app'],
  templates: {
    sms: { body: 'Hi {{name}}, {{order}} is on its way' },
    email: { subject: 'Order {{order}}', body: 'Hi {{name}}', html_body: '<p>Hi {{name}}</p>' },
  },
  translations: null,
  topic: null,
  digest: null,
  status: 'published',
}
const provider: Provider = {
  id: newId('prov'),
  kind: 'twilio',
  tenantId: newId('ten'),
  revision: 1,
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32), from: '+15005550006' },
}

interface World {
  events?: PublishedEvent[]
  providers?: Provider[]
  templates?: Record<string, EventTemplates>
  sandbox?: string
}

/** What the rules look at: the records as they would come from the database. */
function world({ events = [shipped], providers = [provider], templates = {}, sandbox }: World = {}): AcceptContext {
  return {
    config: { CARRIER_SANDBOX_URL: sandbox, WEBHOOK_EGRESS_ALLOW: nothingAllowed },
    channels,
    secrets: { keyRing, blindIndex, lastingIndex: blindIndex, fingerprint },
    renderer,
    directory: {
      events: { find: async (_app: string, key: string) => events.find(({ event_key }) => event_key === key) },
      providers: { list: async () => providers, has: async () => providers.length > 0 },
      templates: {
        find: async (_tenant: string, _app: string, id: string) =>
          templates[id] && { templates: templates[id], translations: null },
      },
      domains: { isVerified: async (_tenant: string, domain: string) => domain === 'shop.example' },
    },
  } as unknown as AcceptContext
}

const sms = { channel: 'sms', recipient: { phone: '+15551230001' } }
const event = { ...sms, event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } }

const email = { channel: 'email', recipient: 'Ada.Lovelace@Example.com' }
const emailEvent = { ...email, event_key: 'order.shipped', data: { name: 'Ada <3', order: 'A-1' } }
const content = { ...email, subject: 'Hi', body: 'Hello' }
const stored = newId('tmpl')

const candidate = (request: object, who: Partial<KeyPrincipal> = {}): Candidate => ({
  notificationId: newId('notif'),
  principal: { ...principal, ...who },
  request: DispatchRequest.parse(request),
  traceparent: null,
  idempotency: undefined,
  isAwaited: () => true,
})

async function codeOf(request: object, context = world(), who: Partial<KeyPrincipal> = {}): Promise<string> {
  const refusal = await judgeCandidate(context, candidate(request, who)).catch((error: unknown) => error)
  return refusal instanceof Problem ? refusal.code : 'none'
}

const payloadOf = async (request: object, context = world()) => {
  const { candidate: judged, payload, lane } = await judgeCandidate(context, candidate(request))
  const row = { id: judged.notificationId, tenantId: principal.tenant_id, lane }
  return JSON.parse(keyRing.decrypt(payload, payloadAad(undefined, row)))
}

test('a service sends through the lane that it chose', async () => {
  const terms = { lane: 'otp', expiresAt: undefined, eraseWhenTerminal: true } as const
  expect(await judgeCandidate(world(), { ...candidate(event), terms })).toMatchObject({ lane: 'otp' })
})

test('a message that another service delivers can neither expire nor be erased: it would be out of reach', async () => {
  const context = { ...world(), channels: toyChannels }
  const handedOver = candidate({ channel: 'in_app', recipient: 'user-1', body: 'Hello' })
  const none = { lane: 'otp', expiresAt: undefined, eraseWhenTerminal: false } as const
  expect(await judgeCandidate(context, { ...handedOver, terms: none })).toMatchObject({ lane: 'otp' })
  for (const [path, terms] of [
    ['expires_at', { ...none, expiresAt: '2030-01-01T00:00:00Z' }],
    ['erase_when_terminal', { ...none, eraseWhenTerminal: true }],
  ] as const) {
    const refusal = judgeCandidate(context, { ...handedOver, terms })
    await expect(refusal).rejects.toMatchObject({ code: 'validation_failed', errors: [{ path }] })
  }
})

test('a good request becomes a notification whose recipient and text nobody can read', async () => {
  const good = candidate(event)
  const made = await judgeCandidate(world(), good)
  expect(made).toMatchObject({
    channel: 'sms',
    lane: 'transactional',
    recipientMasked: '+15*****0001',
    recipientIndex: blindIndex(principal.tenant_id, '+15551230001'),
    credits: 1,
    category: null,
  })
  expect(JSON.parse(made.response)).toEqual({
    status: 'accepted',
    notification_id: good.notificationId,
    channel: 'sms',
    delivery_status: 'queued',
  })
  expect(made.payload.toString('latin1')).not.toMatch(/Ada|5551230001/)
  expect(await payloadOf(event)).toEqual({ channel: 'sms', to: '+15551230001', text: 'Hi Ada, A-1 is on its way' })
})

test('the recipient may be the number alone', async () => {
  expect(await payloadOf({ ...event, recipient: '+15551230001' })).toMatchObject({ to: '+15551230001' })
})

test('a text of its own is sent as it is, unless it comes with variables', async () => {
  expect(await payloadOf({ ...sms, body: 'Hi {{name}}' })).toMatchObject({ text: 'Hi {{name}}' })
  expect(await payloadOf({ ...sms, body: 'Hi {{name}}', template_data: { name: 'Ada' } })).toMatchObject({
    text: 'Hi Ada',
  })
})

test('an email is made of the event’s template, and nobody can read whom it is for', async () => {
  const made = await judgeCandidate(world(), candidate(emailEvent))
  expect(made).toMatchObject({
    channel: 'email',
    recipientMasked: 'A***@example.com',
    recipientIndex: blindIndex(principal.tenant_id, 'ada.lovelace@example.com'),
    credits: 0,
    category: null,
  })
  expect(made.payload.toString('latin1')).not.toMatch(/Ada|example/)
  expect(await payloadOf(emailEvent)).toEqual({
    channel: 'email',
    to: 'Ada.Lovelace@example.com',
    subject: 'Order A-1',
    text: 'Hi Ada <3',
    html: '<p>Hi Ada &lt;3</p>',
  })
})

test('HTML is charged before a text is made of it: a tenant over its budget has nothing converted', async () => {
  const sparing = startRenderer({ msPerSecond: 1 })
  try {
    const html = { ...email, subject: 'Hi', html_body: `<p>${'a'.repeat(150_000)}` }
    const refuse = () => codeOf(html, { ...world(), renderer: sparing })
    expect([await refuse(), await refuse()]).toEqual(['validation_failed', 'rate_limited'])
  } finally {
    await sparing.close()
  }
})

test('a tenant that has too much HTML converted is refused, and a neighbour’s HTML is accepted', async () => {
  const sparing = startRenderer({ msPerSecond: 1 })
  const context = { ...world(), renderer: sparing }
  const html = { ...email, subject: 'Hi', html_body: '<p>x'.repeat(3000) }
  try {
    expect([await codeOf(html, context), await codeOf(html, context)]).toEqual(['none', 'rate_limited'])
    expect(await codeOf(html, context, { tenant_id: newId('ten') })).toBe('none')
    expect(await codeOf({ ...html, body: 'x' }, context)).toBe('none')
    expect(await codeOf({ ...html, html_body: '<p>Hello' }, context)).toBe('none')
  } finally {
    await sparing.close()
  }
})

test('a stored template fills each of its channels with template_data', async () => {
  const context = world({ templates: { [stored]: shipped.templates } })
  const variables = { template_id: stored, template_data: { name: 'Ada', order: 'B-2' } }
  expect(await payloadOf({ ...sms, ...variables }, context)).toEqual({
    channel: 'sms',
    to: '+15551230001',
    text: 'Hi Ada, B-2 is on its way',
  })
  expect(await payloadOf({ ...email, ...variables }, context)).toMatchObject({ subject: 'Order B-2', text: 'Hi Ada' })
  expect(await codeOf({ ...sms, template_id: stored }, context)).toBe('template_variable_missing')
  const forMail = world({ templates: { [stored]: { email: shipped.templates.email } } })
  expect(await codeOf({ ...sms, ...variables }, forMail)).toBe('validation_failed')
})

test.each([
  ['a NUL', '{{ "%00" | url_decode }}', 'NUL'],
  ['half of a character', '{{ "\\ud83e" }}', 'surrogate'],
])('%s that a template makes inside of data is refused, before anything is handed over', async (_, text, said) => {
  const data = { list: [{ label: text }] }
  const context = world({
    templates: { [stored]: { in_app: { title: 'Hi', body: 'Hello', data }, webhook: { data } } },
  })
  for (const [channel, recipient] of [
    ['in_app', 'ada-42'],
    ['webhook', { url: 'https://hooks.example.com/' }],
  ]) {
    const refused = judgeCandidate(context, candidate({ channel, recipient, template_id: stored, template_data: {} }))
    await expect(refused).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(new RegExp(`data\\.list\\.0\\.label that contains .*${said}`)),
      errors: [{ path: 'template_data' }],
    })
  }
})

test('fields that a webhook would drop are refused: data beside a stored template, and a second body', async () => {
  const context = world({ templates: { [stored]: { webhook: { data: { order: '{{ order }}' } } } } })
  const webhook = { channel: 'webhook', recipient: { url: 'https://hooks.example.com/' } }
  const template = { ...webhook, template_id: stored, template_data: { order: 'A-1' } }
  expect(await codeOf(template, context)).toBe('none')
  for (const [path, message, request] of [
    ['data', 'cannot be combined with template_id; use template_data', { ...template, data: { order: 'B-2' } }],
    ['data.body', 'cannot be combined with body', { ...webhook, body: 'Hi', data: { body: 'Hello' } }],
  ] as const) {
    const refused = judgeCandidate(context, candidate(request))
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', errors: [{ path, message }] })
  }
})

test.each(['title', 'subject'])('a fault of an in-app %s names the field that the caller sent', async (path) => {
  const inApp = { channel: 'in_app', recipient: 'ada-42', body: 'Hello', template_data: {} }
  for (const text of ['{{ name', '{{ "%00" | url_decode }}']) {
    const refused = judgeCandidate(world(), candidate({ ...inApp, [path]: text }))
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed', errors: [{ path }] })
  }
})

test('a sender of its own must be at a verified domain', async () => {
  expect(await payloadOf({ ...content, from: 'news@SHOP.example' })).toMatchObject({ from: 'news@shop.example' })
  for (const from of ['news@other.example', 'news@mail.shop.example', 'news@example']) {
    expect(await codeOf({ ...content, from })).toBe(
      from.endsWith('.example') ? 'domain_not_verified' : 'validation_failed',
    )
  }
})

test('a campaign goes into its own lane', async () => {
  expect((await judgeCandidate(world(), candidate({ ...event, priority: 'bulk' }))).lane).toBe('bulk')
})

test.each<[string, object, string]>([
  ['an event that does not exist', { ...event, event_key: 'order.lost' }, 'event_not_found'],
  [
    'a channel that the event does not allow',
    { ...event, channel: 'webhook', recipient: { url: 'https://a.example' } },
    'channel_not_allowed',
  ],
  [
    'a channel that the event has no template for',
    { ...event, channel: 'in_app', recipient: 'u' },
    'channel_not_allowed',
  ],
  ['a stored template that does not exist', { ...sms, template_id: newId('tmpl') }, 'validation_failed'],
  ['a number with spaces', { ...event, recipient: '+1 555 123 0001' }, 'invalid_recipient'],
  ['no number', { ...event, recipient: {} }, 'invalid_recipient'],
  ['a number that is no text', { ...event, recipient: { phone: 15551230001 } }, 'invalid_recipient'],
  ['no address', { ...emailEvent, recipient: '+15551230001' }, 'invalid_recipient'],
  ['an email without a subject', { ...email, body: 'x' }, 'validation_failed'],
  ['a missing variable', { ...event, data: { name: 'Ada' } }, 'template_variable_missing'],
  ['an empty text', { ...sms, body: '  \n' }, 'validation_failed'],
  ['a text that is too long', { ...sms, body: 'x'.repeat(1601) }, 'validation_failed'],
])('%s is refused', async (_what, request, code) => {
  expect(await codeOf(request)).toBe(code)
})

test('the longest text is accepted', async () => {
  expect(await codeOf({ ...sms, body: 'x'.repeat(1600) })).toBe('none')
})

test('without a provider nothing is accepted, and a test key never reaches a real carrier', async () => {
  expect(await codeOf(event, world({ providers: [] }))).toBe('provider_not_configured')
  expect(await codeOf(event, world(), { mode: 'test' })).toBe('provider_not_configured')
  // A provider would not help.
  await expect(judgeCandidate(world(), candidate(event, { mode: 'test' }))).rejects.toThrow('CARRIER_SANDBOX_URL')
  expect(await codeOf(event, world({ sandbox: 'http://sandbox' }), { mode: 'test' })).toBe('none')
})

test('a webhook needs a provider that signs, an inbox none', async () => {
  const webhook = { channel: 'webhook', recipient: { url: 'https://hooks.example.com/' }, body: 'Hi' }
  const inApp = { channel: 'in_app', recipient: 'ada-42', title: 'Hi', body: 'Hello' }
  const nobody = world({ providers: [] })
  expect([await codeOf(webhook, nobody), await codeOf(webhook)]).toEqual(['provider_not_configured', 'none'])
  expect(await codeOf(inApp, nobody)).toBe('none')
})

test('of several faults the first in the documented order is reported: event, channel, recipient, provider, text', async () => {
  const nobody = world({ providers: [] })
  const wrong = { ...sms, recipient: 'nobody', event_key: 'order.lost' }
  expect(await codeOf(wrong, nobody)).toBe('event_not_found')
  expect(await codeOf({ ...wrong, event_key: 'order.shipped', channel: 'webhook' }, nobody)).toBe('channel_not_allowed')
  expect(await codeOf({ ...wrong, event_key: 'order.shipped' }, nobody)).toBe('invalid_recipient')
  expect(await codeOf({ ...event, data: {} }, nobody)).toBe('provider_not_configured')
  expect(await codeOf({ ...event, data: {} })).toBe('template_variable_missing')
  const bad = { ...emailEvent, data: {}, from: 'news@other.example' }
  expect(await codeOf({ ...bad, recipient: 'nobody' }, nobody)).toBe('invalid_recipient')
  expect(await codeOf(bad, nobody)).toBe('provider_not_configured')
  expect(await codeOf(bad)).toBe('domain_not_verified')
  expect(await codeOf({ ...bad, from: undefined })).toBe('template_variable_missing')
})

test('a refusal never repeats the recipient', async () => {
  const refusal = await judgeCandidate(world(), candidate({ ...event, recipient: '0155512300' })).catch(
    (error: unknown) => error as Problem,
  )
  expect(JSON.stringify((refusal as Problem).toBody())).not.toContain('0155512300')
})

test('a batch takes room for the files that it reads from URLs until it is committed, and none for those in the request', async () => {
  const file = { filename: 'a.txt', content_type: 'text/plain' }
  const withFile = (more: object) => ({ ...content, attachments: [{ ...file, ...more }] })
  const given = withFile({ content: 'YQ==' })
  const read = withFile({ url: 'https://files.example.com/a.txt' })
  let taken = 0
  const atCommit: number[] = []
  const context = {
    ...world(),
    fetchFile: async () => Buffer.from('a'),
    fileRoom: async () => {
      taken++
      return () => taken--
    },
    db: {
      transaction() {
        atCommit.push(taken)
        throw new Error('out of reach')
      },
    },
  }
  const accept = (...requests: object[]) => {
    const request = { body: { requests }, principal, span: { traceparent: undefined }, isAwaited: () => true }
    return createBatch(context as never, request as never)
  }
  await expect(accept(given, given)).rejects.toThrow('out of reach')
  await expect(accept(given, read, read)).rejects.toThrow('out of reach')
  expect([atCommit, taken]).toEqual([[0, 1], 0])
})
