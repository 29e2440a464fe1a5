import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { becomeDue, expectProblem, inAnHour, post, postUntilTaken, stateOf, untilState } from '@notify/test-kit/api'
import { emailOf, emailTo, freshAddress, sendEmail } from '@notify/test-kit/email'
import { addTopic, importFor } from './choices.ts'
import { env } from './stack.ts'

const suppress = (recipient: string) =>
  env.api('POST', '/api/v1/suppressions', { token: env.operatorToken, body: { channel: 'email', recipient } })
const suppressionsOf = async (recipient: string) =>
  (await env.api('GET', `/api/v1/suppressions?${new URLSearchParams({ recipient })}`, { token: env.operatorToken }))
    .body.items

const many = (count: number) => Array.from({ length: count }, () => freshAddress())
const oneHeader = (name: string, value: string) => ({ headers: { [name]: value } })

describe('the fields of an email', () => {
  test('copies, addresses for answers and headers reach the carrier, by an event as well', async () => {
    const [to, cc, bcc] = [freshAddress(), freshAddress(), freshAddress()]
    const fields = {
      cc: { email: cc, name: 'Hopper, Grace' },
      bcc: [bcc],
      reply_to: ['help@shop.example', { email: 'orders@shop.example', name: 'Łukasz' }],
      headers: { 'X-Order': 'A-1', References: '<a@shop.example> <b@shop.example>' },
    }
    const event = { channel: 'email', recipient: to, event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } }
    const id = await sendEmail(env, { ...event, ...fields })
    await untilState(env, id, { delivery_status: 'delivered' })
    expect(await emailOf(env, to)).toMatchObject({
      cc: [expect.stringContaining(cc)],
      bcc: [bcc],
      reply_to: ['help@shop.example', expect.stringContaining('orders@shop.example')],
      headers: fields.headers,
    })
    expect((await stateOf(env, id)).copies).toEqual([
      { field: 'cc', recipient_masked: expect.stringMatching(/^a\*\*\*@/), suppressed: null, refused: null },
      { field: 'bcc', recipient_masked: expect.stringMatching(/^a\*\*\*@/), suppressed: null, refused: null },
    ])
  })

  test.each<[string, object, string, string?]>([
    ['a cc without @', { cc: 'ada' }, 'cc', 'invalid_recipient'],
    ['a bad address in a list', { cc: ['ada@mailbox.example', { email: 'x@y' }] }, 'cc.1.email', 'invalid_recipient'],
    [
      'a name with a line break',
      { bcc: { email: 'a@mailbox.example', name: 'A\r\nX: y' } },
      'bcc.name',
      'invalid_recipient',
    ],
    ['an address twice', { cc: ['a@mailbox.example'], bcc: ['A@Mailbox.example'] }, 'bcc.0', 'invalid_recipient'],
    ['a header instead of an address', { cc: 'a@mailbox.example\nBcc: b@mailbox.example' }, 'cc', 'invalid_recipient'],
    ['an empty list', { cc: [] }, 'cc'],
    ['a number', { reply_to: 7 }, 'reply_to'],
    ['an unknown field of an address', { cc: { email: 'a@mailbox.example', phone: '1' } }, 'cc.phone'],
    ['a bad address for answers', { reply_to: ['help@shop.example', 'x'] }, 'reply_to.1'],
    ['11 addresses for answers', { reply_to: many(11) }, 'reply_to'],
    ['more than 50 recipients', { cc: many(40), bcc: many(10) }, 'cc'],
    ['headers that are a list', { headers: ['X-A: b'] }, 'headers'],
    ['a header that is no text', { headers: { 'X-A': 1 } }, 'headers.X-A'],
    ['a header of ours', oneHeader('X-Notification-Id', 'n'), 'headers.X-Notification-Id'],
    ['a header of a carrier', oneHeader('x-ses-configuration-set', 'c'), 'headers.x-ses-configuration-set'],
    ['a header that carriers write', oneHeader('Bcc', 'b@mailbox.example'), 'headers.Bcc'],
    ['the sender as a header', oneHeader('From', 'ceo@bank.example'), 'headers.From'],
    ['a line break in a header', oneHeader('X-A', 'b\r\nBcc: c@mailbox.example'), 'headers.X-A'],
    ['a line break in a name', oneHeader('X-A: b\r\nBcc', 'c@mailbox.example'), 'headers.X-A: b\r\nBcc'],
    ['an empty header', oneHeader('X-A', ' '), 'headers.X-A'],
    ['a long header', oneHeader('X-A', 'a'.repeat(901)), 'headers.X-A'],
    ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a'],
    ['21 headers', { headers: Object.fromEntries(many(21).map((_, n) => [`X-${n}`, 'a'])) }, 'headers'],
    [
      'long headers together',
      { headers: Object.fromEntries(many(10).map((_, n) => [`X-${n}`, 'a'.repeat(900)])) },
      'headers',
    ],
  ])('%s is refused, and the field named', async (_what, fields, path, code = 'validation_failed') => {
    const answer = await post(env, emailTo(freshAddress(), fields))
    expectProblem(answer, 422, code)
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  test('other channels refuse them, and a batch judges each request alone', async () => {
    const text = { channel: 'sms', recipient: '+14155550100', body: 'Hi', cc: 'ada@mailbox.example' }
    expectProblem(await post(env, text), 422, 'validation_failed')
    const requests = [emailTo(freshAddress(), { cc: freshAddress() }), emailTo(freshAddress(), { cc: 'x' }), text]
    const { status, body } = await env.api('POST', '/api/v1/notifications/batch', { body: { requests } })
    expect(status).toBe(202)
    expect(body.results).toMatchObject([
      { status: 'accepted' },
      { error: { code: 'invalid_recipient', errors: [{ path: 'cc' }] } },
      { error: { code: 'validation_failed', errors: [{ path: 'cc' }] } },
    ])
  })

  test('a repetition with another copy is a conflict, and the same one gets the first answer', async () => {
    const key = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const request = emailTo(freshAddress(), { cc: freshAddress() })
    const first = await post(env, request, key)
    const again = await post(env, request, key)
    expect([again.status, again.body]).toEqual([202, first.body])
    expectProblem(await post(env, { ...request, cc: freshAddress() }, key), 409, 'idempotency_conflict')
  })
})

describe('copies that are suppressed', () => {
  test('are left out and named in the answer; the others receive the message', async () => {
    const [to, barred, other] = [freshAddress(), freshAddress(), freshAddress()]
    await suppress(barred)
    const { status, body } = await post(env, emailTo(to, { cc: [barred, other] }))
    expect([status, body.left_out]).toEqual([
      202,
      [{ field: 'cc', recipient_masked: expect.stringMatching(/^a\*\*\*@/), suppressed: 'manual' }],
    ])
    await untilState(env, body.notification_id, { delivery_status: 'delivered' })
    expect(await emailOf(env, to)).toMatchObject({ cc: [other] })
    expect(await env.messages({ to: barred })).toEqual([])
    expect((await stateOf(env, body.notification_id)).copies).toMatchObject([
      { suppressed: 'manual' },
      { suppressed: null },
    ])
  })

  test('are left out when they are suppressed after the acceptance', async () => {
    const [to, barred] = [freshAddress(), freshAddress()]
    const id = await sendEmail(env, emailTo(to, { bcc: barred, send_at: inAnHour() }))
    await suppress(barred)
    await becomeDue(env, id)
    await untilState(env, id, { delivery_status: 'delivered', copies: [{ suppressed: 'manual' }] })
    expect(await emailOf(env, to)).not.toHaveProperty('bcc')
    expect(await env.messages({ to: barred })).toEqual([])
  })

  test('a copy that bounces suppresses its recipient alone, and the message stays delivered', async () => {
    const [to, bounced] = [freshAddress(), freshAddress('bounce')]
    const id = await sendEmail(env, emailTo(to, { cc: bounced }))
    await eventually(async () => expect(await suppressionsOf(bounced)).toMatchObject([{ reason: 'bounce' }]))
    await untilState(env, id, { delivery_status: 'delivered' })
    expect(await suppressionsOf(to)).toEqual([])
  })
})

const pdf = (size = 40) => Buffer.from('%PDF-1.7\n'.padEnd(size, 'x'))
const fileOf = (content: Buffer, fields: object = {}) => ({
  filename: 'invoice.pdf',
  content_type: 'application/pdf',
  content: content.toString('base64'),
  ...fields,
})
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const rowsOf = async (id: string) =>
  (await env.admin.query('select id, content from dispatch.attachments where id = $1', [id])).rows

describe('attachments', () => {
  test('files and inline images arrive byte for byte, and are stored encrypted', async () => {
    const to = freshAddress()
    const files = [fileOf(pdf()), fileOf(png, { filename: 'logo.png', content_type: 'image/png', content_id: 'logo' })]
    const id = await sendEmail(env, emailTo(to, { html_body: '<img src="cid:logo">', attachments: files }))
    await untilState(env, id, { delivery_status: 'delivered' })
    const { attachments = [] } = await emailOf(env, to)
    expect(attachments.toSorted((a, b) => a.filename.localeCompare(b.filename))).toMatchObject([
      { filename: 'invoice.pdf', content_type: 'application/pdf', sha256: sha256(pdf()) },
      { filename: 'logo.png', content_type: 'image/png', content_id: 'logo', sha256: sha256(png) },
    ])
    const [{ content }] = await rowsOf(id)
    expect(content.includes('%PDF')).toBe(false)
  })

  test('7 MiB are taken by this route alone; a retry sends the same bytes', async () => {
    const to = freshAddress('throttle')
    const content = pdf(7 * 1024 * 1024)
    const body = emailTo(to, { attachments: [fileOf(content)] })
    const headers = { 'idempotency-key': to }
    // A busy machine may need more than one call of the gateway.
    const answer = await eventually(async () => {
      const one = await post(env, body, { headers })
      expect(one.status).toBe(202)
      return one.body
    })
    await untilState(env, answer.notification_id, { delivery_status: 'delivered', attempts: [{}, {}, {}] }, 60_000)
    expect((await emailOf(env, to)).attachments).toMatchObject([{ size: content.length, sha256: sha256(content) }])
    const requests = [emailTo(freshAddress(), { attachments: [fileOf(pdf(300_000))] })]
    expectProblem(
      await env.api('POST', '/api/v1/notifications/batch', { body: { requests } }),
      413,
      'payload_too_large',
    )
  })

  test.each<[string, object]>([
    ['a long body without files', { data: {}, event_key: 'order.shipped', metadata: { a: 'x'.repeat(300_000) } }],
    ['long fields beside files', { template_data: { a: 'x'.repeat(300_000) }, attachments: [fileOf(pdf())] }],
    ['more than 10 MiB', { attachments: [fileOf(pdf(8 * 1024 * 1024))] }],
  ])('%s is too large', async (_what, fields) => {
    expectProblem(await post(env, emailTo(freshAddress(), fields)), 413, 'payload_too_large')
  })

  test.each<[string, object, string]>([
    ['more than 7 MiB', { attachments: [fileOf(pdf(7 * 1024 * 1024 + 1))] }, 'attachments'],
    ['11 files', { attachments: Array(11).fill(fileOf(pdf())) }, 'attachments'],
    ['no list', { attachments: fileOf(pdf()) }, 'attachments'],
    ['neither bytes nor address', { attachments: [fileOf(pdf(), { content: undefined })] }, 'attachments.0.content'],
    ['no base64', { attachments: [fileOf(pdf(), { content: 'a*b=' })] }, 'attachments.0.content'],
    ['base64 that is cut off', { attachments: [fileOf(pdf(), { content: 'abcde' })] }, 'attachments.0.content'],
    ['an empty file', { attachments: [fileOf(pdf(), { content: '' })] }, 'attachments.0.content'],
    ['no name', { attachments: [fileOf(pdf(), { filename: undefined })] }, 'attachments.0.filename'],
    ['a path', { attachments: [fileOf(pdf(), { filename: '../a.pdf' })] }, 'attachments.0.filename'],
    [
      'a line break in the name',
      { attachments: [fileOf(pdf(), { filename: 'a\r\nb.pdf' })] },
      'attachments.0.filename',
    ],
    [
      'a name that reads backwards',
      { attachments: [fileOf(pdf(), { filename: 'a\u202efdp.x' })] },
      'attachments.0.filename',
    ],
    ...['a.EXE', 'a.exe\u200b', 'a.\uff45xe', 'a.e\u00adxe'].map((filename): [string, object, string] => [
      `the name of a program, ${JSON.stringify(filename)}`,
      { attachments: [fileOf(pdf(), { filename })] },
      'attachments.0.filename',
    ]),
    ['no type', { attachments: [fileOf(pdf(), { content_type: undefined })] }, 'attachments.0.content_type'],
    [
      'a type with a line break',
      { attachments: [fileOf(pdf(), { content_type: 'a/b\r\nX: y' })] },
      'attachments.0.content_type',
    ],
    [
      'a part of a message',
      { attachments: [fileOf(pdf(), { content_type: 'multipart/mixed' })] },
      'attachments.0.content_type',
    ],
    [
      'a whole message',
      { attachments: [fileOf(pdf(), { content_type: 'message/rfc822' })] },
      'attachments.0.content_type',
    ],
    ['an image called a document', { attachments: [fileOf(png)] }, 'attachments.0.content_type'],
    [
      'text called an image',
      { attachments: [fileOf(Buffer.from('Hi'), { content_type: 'image/png' })] },
      'attachments.0.content_type',
    ],
    [
      'a program',
      { attachments: [fileOf(Buffer.from('MZ'.padEnd(80)), { content_type: 'application/octet-stream' })] },
      'attachments.0.content_type',
    ],
    ['a content id with brackets', { attachments: [fileOf(png, { content_id: '<a>' })] }, 'attachments.0.content_id'],
    [
      'a content id twice',
      { attachments: [fileOf(pdf(), { content_id: 'a' }), fileOf(pdf(), { content_id: 'a' })] },
      'attachments.1.content_id',
    ],
    ['an unknown field', { attachments: [fileOf(pdf(), { path: '/etc/passwd' })] }, 'attachments.0.path'],
  ])('%s is refused, and the file named', async (_what, fields, path) => {
    const answer = await postUntilTaken(env, '/api/v1/notifications', emailTo(freshAddress(), fields))
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  const switchOff = async (address: string, topic: string) =>
    expect((await importFor(address, { topic, channel: 'email', state: 'off' })).status).toBe(200)

  test.each<[string, (to: string, topic: string) => Promise<unknown>, object]>([
    ['is suppressed', suppress, { delivery_status: 'failed', failure_reason: expect.stringContaining('suppressed') }],
    ['switches the topic off', switchOff, { delivery_status: 'cancelled', failure_reason: 'recipient_opted_out' }],
  ])('a recipient who %s while a message waits behind files of others gets nothing', async (_, refuse, ended) => {
    const attachments = [fileOf(pdf())]
    // As many as a tenant may send at a time, none of which the carrier answers.
    const slow = [1, 2, 3].map(() => freshAddress('timeout'))
    await Promise.all(slow.map((to) => sendEmail(env, emailTo(to, { attachments }))))
    await eventually(async () => {
      for (const to of slow) expect(await env.messages({ to })).not.toEqual([])
    })
    const [to, topic] = [freshAddress(), await addTopic({ channels: ['email'] })]
    const id = await sendEmail(env, emailTo(to, { attachments, topic }))
    await eventually(async () => {
      const { rows } = await env.sql('dispatch').query('select sending from notifications where id = $1', [id])
      expect(rows).toEqual([{ sending: true }])
    })
    await refuse(to, topic)
    // Ends the calls before it, so that it need not wait for a claim, which would judge it as well.
    await env.kill('carrier-sandbox')
    await env.restart('carrier-sandbox')
    await untilState(env, id, { ...ended, attempts: [] })
  })

  test('the idempotency key covers the bytes', async () => {
    const key = { headers: { 'Idempotency-Key': crypto.randomUUID() } }
    const request = emailTo(freshAddress(), { attachments: [fileOf(pdf())] })
    const first = await post(env, request, key)
    expect((await post(env, request, key)).body).toEqual(first.body)
    expectProblem(await post(env, { ...request, attachments: [fileOf(pdf(41))] }, key), 409, 'idempotency_conflict')
  })

  test('a file is read from its address when the request is accepted', async () => {
    const to = freshAddress()
    const file = { filename: 'terms.txt', content_type: 'text/plain', url: `${env.stack.receiverUrl}/ok/terms` }
    await untilState(env, await sendEmail(env, emailTo(to, { attachments: [file] })), { delivery_status: 'delivered' })
    expect((await emailOf(env, to)).attachments).toMatchObject([
      { filename: 'terms.txt', sha256: sha256(Buffer.from('ok')) },
    ])
  })

  test.each<[string, () => string, RegExp]>([
    ['answers 404', () => `${env.stack.receiverUrl}/404`, /status 404/],
    ['redirects', () => `${env.stack.receiverUrl}/302`, /status 302/],
    ['does not answer', () => `${env.stack.receiverUrl}/hang`, /no complete answer in time/],
    ['is not public', () => 'https://10.0.0.1/a.pdf', /not allowed/],
    ['is not https', () => 'http://files.example/a.pdf', /not allowed/],
    ['is none', () => 'file:///etc/passwd', /not allowed/],
  ])('an address that %s is refused, and named', async (_what, url, why) => {
    const file = { filename: 'a.txt', content_type: 'text/plain', url: url() }
    const request = emailTo(freshAddress(), { attachments: [file] })
    // On a busy machine the gateway gives up before the download does.
    const answer = await eventually(async () => {
      const one = await post(env, request)
      expect(one.status).not.toBe(503)
      return one
    })
    expectProblem(answer, 422, 'attachment_not_available')
    expect(answer.body.errors).toEqual([{ path: 'attachments.0.url', message: expect.stringMatching(why) }])
  })

  test('an address together with bytes is refused', async () => {
    const answer = await post(
      env,
      emailTo(freshAddress(), { attachments: [fileOf(pdf(), { url: 'https://a.example/' })] }),
    )
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors).toMatchObject([{ path: 'attachments.0.url' }])
  })
})
