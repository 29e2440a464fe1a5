import { describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { publish } from '@notify/messaging'
import { asOperator, expectProblem, untilAvailable, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages, untilQuiet, untilSettled } from '@notify/test-kit/bus'
import { demoAccount, postForm, report, signature } from '@notify/test-kit/callbacks'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const path = '/api/v1/suppressions'

const call = (method: string, address = path, request: ApiRequest = {}) => asOperator(env, method, address, request)
const add = (channel: string, recipient: string, request: ApiRequest = {}) =>
  call('POST', path, { body: { channel, recipient }, ...request })

async function list(query: Record<string, string> = {}, request: ApiRequest = {}) {
  const { status, body } = await call('GET', `${path}?${new URLSearchParams(query)}`, request)
  expect(status).toBe(200)
  return body as { items: Record<string, string>[]; next_cursor: string | null }
}
const ofRecipient = async (recipient: string) => (await list({ recipient })).items

/** A person sends a message to the demo tenant's number. */
async function write(from: string, body: string, fields: Record<string, string> = {}): Promise<string> {
  const { sid, authToken } = demoAccount(env)
  const address = '/api/v1/callbacks/smsprovider/inbound'
  const messageSid = `SM${crypto.randomUUID().replaceAll('-', '')}`
  const form = { AccountSid: sid, MessageSid: messageSid, From: from, To: '+15005550006', Body: body, ...fields }
  const signed = signature(authToken, env.stack.url('gateway') + address, form)
  expect((await postForm(env, { fields: form, address, signed })).text).toBe('<Response/>')
  return messageSid
}

describe('replies by SMS', () => {
  test('STOP suppresses, START lifts it, and any other text changes nothing', async () => {
    const phone = freshPhone()
    await write(phone, ' Stop. ')
    await eventually(async () => {
      expect(await ofRecipient(phone)).toMatchObject([
        {
          channel: 'sms',
          reason: 'stop',
          recipient_masked: expect.stringContaining('*'),
          source_notification_id: null,
        },
      ])
    })
    for (const words of ['thank you', 'please start', 'stop it']) await write(phone, words)
    await untilSettled(env)
    expect(await ofRecipient(phone)).toHaveLength(1)
    await write(phone, 'START')
    await eventually(async () => expect(await ofRecipient(phone)).toEqual([]))
    await write(phone, 'arrêt', { OptOutType: 'STOP' })
    await eventually(async () => expect(await ofRecipient(phone)).toMatchObject([{ reason: 'stop' }]))
  })

  test('STOP and START count under each spelling of the number, which the carrier may report otherwise than the tenant sends to', async () => {
    const line = freshPhone().slice(-10).replace(/^[01]/, '5')
    const [sentTo, reported] = [`+52${line}`, `+521${line}`]
    await write(reported, 'STOP')
    await eventually(async () => expect(await ofRecipient(sentTo)).toMatchObject([{ reason: 'stop' }]))
    await write(reported, 'START')
    await eventually(async () => expect([...(await ofRecipient(sentTo)), ...(await ofRecipient(reported))]).toEqual([]))
  })

  test('START lifts no operator’s decision', async () => {
    const phone = freshPhone()
    await add('sms', phone)
    await write(phone, 'START')
    await untilSettled(env)
    expect(await ofRecipient(phone)).toMatchObject([{ reason: 'manual' }])
  })

  test('a redelivered message changes nothing that came after it', async () => {
    const [started, lifted] = [freshPhone(), freshPhone()]
    await write(started, 'STOP')
    await write(lifted, 'STOP')
    await eventually(async () => expect(await ofRecipient(started)).toHaveLength(1))
    await write(started, 'START')
    await eventually(async () => expect(await ofRecipient(started)).toEqual([]))
    const [one] = await ofRecipient(lifted)
    expect((await call('DELETE', `${path}/${one!.suppression_id}`)).status).toBe(204)
    await using bus = await openBus(env)
    for (const { subject, text, messageId } of await storedMessages(bus, ['callbacks'])) {
      await publish(bus, { id: messageId, subject, events: text }, crypto.randomUUID())
    }
    await untilQuiet(bus)
    expect([await ofRecipient(started), await ofRecipient(lifted)]).toEqual([[], []])
  })

  test('a sender that is not a phone number is skipped', async () => {
    await write('12345', 'STOP')
    await untilSettled(env)
    const { rows } = await env.admin.query('select count(*)::int as count from dispatch.dead_letters')
    expect(rows[0].count).toBe(0)
    expect(await ofRecipient('12345')).toEqual([])
  })
})

test('a status that says the recipient has unsubscribed at the carrier suppresses, and is not to be retried', async () => {
  const phone = freshPhone('0008')
  const id = await send(env, phone)
  const { attempts } = await untilState(env, id, { delivery_status: 'sent' })
  await report(env, { notificationId: id, attemptId: attempts[0].attempt_id }, 'failed', {
    fields: { ErrorCode: '21610' },
  })
  await untilState(env, id, { delivery_status: 'failed', retryable: false })
  await eventually(async () => {
    expect(await ofRecipient(phone)).toMatchObject([{ reason: 'stop', source_notification_id: id }])
  })
})

describe('operators', () => {
  test('add a recipient, once, and find it under any spelling of the address', async () => {
    const first = await add('email', 'Ada.Lovelace@Example.COM')
    expect([first.status, first.body]).toEqual([
      201,
      {
        suppression_id: expect.stringMatching(/^sup_/),
        channel: 'email',
        recipient_masked: 'A***@Example.COM',
        recipient_tag: expect.stringMatching(/^[a-z0-9]{4}$/),
        reason: 'manual',
        source_notification_id: null,
        created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    ])
    const again = await add('email', 'ada.lovelace@example.com')
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await ofRecipient('ADA.LOVELACE@example.com')).toEqual([first.body])
    expect(await ofRecipient('eve@example.com')).toEqual([])
  })

  test('lift one, which is then deleted, and may add the recipient again', async () => {
    const phone = freshPhone()
    const { body } = await add('sms', phone)
    const lifted = await call('DELETE', `${path}/${body.suppression_id}`)
    expect([lifted.status, lifted.text]).toEqual([204, ''])
    expectProblem(await call('DELETE', `${path}/${body.suppression_id}`), 404, 'not_found')
    expect(await ofRecipient(phone)).toEqual([])
    const anew = await add('sms', phone)
    expect(anew.status).toBe(201)
    expect(anew.body.suppression_id).not.toBe(body.suppression_id)
  })

  test('adding and lifting at the same moment never fails', async () => {
    const phone = freshPhone()
    const { body } = await add('sms', phone)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        untilAvailable(() => (at % 3 === 1 ? call('DELETE', `${path}/${body.suppression_id}`) : add('sms', phone))),
      ),
    )
    for (const { status } of answers) expect([201, 204, 404]).toContain(status)
    expect((await ofRecipient(phone)).length).toBeLessThanOrEqual(1)
  })

  test('read the list page after page, newest first, by channel and by reason', async () => {
    const token = operatorToken(env, {
      tenant_id: await addEmptyTenant(env),
      permissions: ['consents:read', 'providers:manage'],
    })
    const recipients = Array.from({ length: 5 }, (_, at) => `page${at}@example.com`)
    for (const recipient of recipients) await add('email', recipient, { token })
    await add('sms', freshPhone(), { token })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await list(
        { channel: 'email', reason: 'manual', limit: '2', ...(cursor ? { cursor } : {}) },
        { token },
      )
      expect(page.items.length).toBeLessThanOrEqual(2)
      seen.push(...page.items.map(({ suppression_id }) => suppression_id!))
      cursor = page.next_cursor
    } while (cursor)
    expect(new Set(seen).size).toBe(5)
    expect(seen).toEqual(seen.toSorted().toReversed())
    expect((await list({ reason: 'bounce' }, { token })).items).toEqual([])
    expect((await list({}, { token })).items).toHaveLength(6)
  })

  test('a repeated Idempotency-Key gives the first answer, and another body is refused', async () => {
    const phone = freshPhone()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await add('sms', phone, { headers })
    await call('DELETE', `${path}/${first.body.suppression_id}`)
    const again = await add('sms', phone, { headers })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    expect(await ofRecipient(phone)).toEqual([])
    expectProblem(await add('sms', freshPhone(), { headers }), 409, 'idempotency_conflict')
  })
})

describe('callers without permission', () => {
  test('another tenant sees nothing of it, and cannot lift it', async () => {
    const phone = freshPhone()
    const { body } = await add('sms', phone)
    const token = operatorToken(env, {
      tenant_id: await addEmptyTenant(env),
      permissions: ['consents:read', 'providers:manage'],
    })
    expectProblem(await call('DELETE', `${path}/${body.suppression_id}`, { token }), 404, 'not_found')
    expect((await list({}, { token })).items).toEqual([])
    expect((await list({ recipient: phone }, { token })).items).toEqual([])
    expect((await list({ limit: '1' }, { token })).next_cursor).toBeNull()
    expect(await ofRecipient(phone)).toHaveLength(1)
  })

  test('reading and changing each need their permission, and an API key has neither', async () => {
    const reader = operatorToken(env, { permissions: ['consents:read'] })
    const manager = operatorToken(env, { permissions: ['providers:manage'] })
    expectProblem(await add('sms', freshPhone(), { token: reader }), 403, 'permission_denied')
    expectProblem(await call('DELETE', `${path}/${newId('sup')}`, { token: reader }), 403, 'permission_denied')
    expectProblem(await call('GET', path, { token: manager }), 403, 'permission_denied')
    expectProblem(await env.api('GET', path), 403, 'permission_denied')
    expectProblem(await env.api('GET', path, { key: null }), 401, 'unauthenticated')
  })
})

test('a suppressed number is found too when its plus sign was not encoded', async () => {
  const phone = freshPhone()
  const { suppression_id } = (await add('sms', phone)).body
  expect((await call('GET', `${path}?recipient=${phone}`)).body.items).toMatchObject([{ suppression_id }])
})

describe('bad input is refused with what is wrong', () => {
  test.each<[string, string]>([
    ['sms', '15551230001'],
    ['sms', '+0123456789'],
    ['sms', '+1555 123 0001'],
    ['sms', '+1234567890123456'],
    ['sms', 'ada@example.com'],
    ['email', 'ada'],
    ['email', 'ada@'],
    ['email', '@example.com'],
    ['email', 'a da@example.com'],
    ['email', 'ada@eve@example.com'],
    ['email', 'ada@example.com\r\nBcc: eve@example.com'],
    ['email', '+15551230001'],
  ])('%s %j is no recipient', async (channel, recipient) => {
    const answer = await add(channel, recipient)
    expectProblem(answer, 422, 'invalid_recipient')
    expect(answer.body.errors).toEqual([{ path: 'recipient', message: expect.any(String) }])
  })

  test.each<[string, object]>([
    ['channel', { channel: 'whatsapp', recipient: '+15551230001' }],
    ['channel', { recipient: '+15551230001' }],
    ['recipient', { channel: 'email', recipient: `${'a'.repeat(10_000)}@example.com` }],
    ['recipient', { channel: 'email', recipient: 7 }],
    ['reason', { channel: 'sms', recipient: '+15551230001', reason: 'bounce' }],
    ['note', { channel: 'sms', recipient: '+15551230001', note: 'x' }],
    ['recipient', { channel: 'email', recipient: 'a\u0000@example.com' }],
  ])('%s is named: %#', async (field, body) => {
    const answer = await call('POST', path, { body })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(field)
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'cursor=x',
    `cursor=${newId('sup')}`,
    'channel=in_app',
    'reason=because',
    'recipient=',
    'colour=red',
  ])('the query %s', async (query) => {
    expectProblem(await call('GET', `${path}?${query}`), 422, 'validation_failed')
  })

  test.each(['x', newId('sup'), newId('notif'), '%00', "';--"])('there is no suppression %s', async (id) => {
    expectProblem(await call('DELETE', `${path}/${id}`), 404, 'not_found')
  })
})

test('no recipient stands readable in the table', async () => {
  const phone = freshPhone()
  await add('sms', phone)
  await add('email', 'grace.hopper@example.com')
  const { rows } = await env.admin.query('select * from dispatch.suppressions')
  const text = JSON.stringify(rows)
  expect(rows.length).toBeGreaterThan(1)
  expect(text).not.toContain(phone.slice(1))
  expect(text).not.toContain('grace.hopper')
})
