import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, postUntilTaken } from '@notify/test-kit/api'
import { type Application, addApplication, addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPath, untilReceived } from '@notify/test-kit/webhooks'
import { SMTPServer } from 'smtp-server'

/** What the mail server got: the addresses that it took, by subject. */
const taken = new Map<string, string[]>()
const refuses = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })
const mailServer = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  logger: false,
  onRcptTo({ address }, _session, done) {
    if (address.startsWith('gone')) done(refuses(550, `5.1.1 <${address}> is not here`))
    else if (address.startsWith('busy')) done(refuses(450, `4.2.1 <${address}> is full`))
    else done()
  },
  async onData(stream, { envelope }, done) {
    const text = Buffer.concat(await stream.toArray()).toString()
    const subject = /^Subject: (.*)\r$/m.exec(text)?.[1] ?? ''
    taken.set(subject, [...(taken.get(subject) ?? []), ...envelope.rcptTo.map(({ address }) => address)])
    done()
  },
})

let env: TestEnv
let one: Application
let other: Application
beforeAll(async () => {
  mailServer.listen(0, '127.0.0.1')
  await once(mailServer.server, 'listening')
  const { port } = mailServer.server.address() as AddressInfo
  const dispatch = {
    SMTP_EGRESS_ALLOW: `localhost:${port}`,
    SEND_RETRY_DELAYS: '100ms,100ms',
    ATTACHMENT_TIMEOUT: '4s',
  }
  env = await TestEnv.start(['gateway', 'dispatch'], { env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch } })
  const made = async () => {
    const application = await addApplication(env, await addEmptyTenant(env))
    const token = operatorToken(env, { tenant_id: application.tenantId, permissions: ['providers:manage'] })
    const credentials = { host: 'localhost', port: String(port), security: 'none', from: 'shop@example.com' }
    const body = {
      channel: 'email',
      kind: 'smtp',
      name: 'Mail',
      application_id: application.applicationId,
      credentials,
    }
    const { status, text } = await env.api('POST', '/api/v1/providers', { token, body })
    expect([status, text]).toEqual([201, expect.any(String)])
    return application
  }
  ;[one, other] = [await made(), await made()]
})
afterAll(async () => {
  await env?.stop()
  await new Promise<void>((resolve) => mailServer.close(resolve))
})

const send = ({ apiKey }: Application, body: object): Promise<ApiResponse> =>
  env.api('POST', '/api/v1/notifications', { key: apiKey, body })
const stateOf = async ({ apiKey }: Application, id: string) =>
  (await env.api('GET', `/api/v1/notifications/${id}`, { key: apiKey })).body

/** Sends a mail with a subject of its own. @returns its state once it has ended, and who got it */
async function sent(to: string, copies: object) {
  const subject = crypto.randomUUID()
  const { status, body } = await send(one, { ...emailTo(to, copies), subject })
  expect(status).toBe(202)
  const state = await eventually(async () => {
    const found = await stateOf(one, body.notification_id)
    expect(['sent', 'failed']).toContain(found.delivery_status)
    return found
  })
  return { state, got: taken.get(subject) ?? [] }
}
const copy = (field: string, refused: string | null) => ({
  ...{ field, refused, suppressed: null },
  recipient_masked: expect.stringMatching(/^\w\*\*\*@/),
})

test('a copy that the mail server refuses is shown with the reply, and the others have got the message', async () => {
  const [to, cc, gone, busy] = [freshAddress(), freshAddress(), freshAddress('gone'), freshAddress('busy')]
  const { state, got } = await sent(to, { cc: [cc, gone], bcc: busy })
  expect(state.delivery_status).toBe('sent')
  await eventually(async () =>
    expect((await stateOf(one, state.notification_id)).copies).toEqual([
      copy('cc', null),
      copy('cc', 'smtp_550 550 5.1.1 <[address]> is not here'),
      copy('bcc', 'smtp_450 450 4.2.1 <[address]> is full'),
    ]),
  )
  expect(got.sort()).toEqual([to, cc].sort())
})

test('a recipient that is refused ends the message, permanently and for now alike, once a copy has got it', async () => {
  for (const [local, reply] of [
    ['gone', 'smtp_550'],
    ['busy', 'smtp_450'],
  ] as const) {
    const cc = freshAddress()
    const { state, got } = await sent(freshAddress(local), { cc })
    expect(state).toMatchObject({
      ...{ delivery_status: 'failed', retryable: false, copies: [copy('cc', null)] },
      attempts: [{ outcome: 'rejected_permanent', provider_code: reply }],
    })
    expect(got).toEqual([cc])
  }
})

test('when the mail server refuses everybody for now, each attempt of the schedule is made and nobody gets the message', async () => {
  const { state, got } = await sent(freshAddress('busy'), { cc: freshAddress('busy') })
  expect(state).toMatchObject({ delivery_status: 'failed', retryable: true })
  expect(state.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(3).fill('rejected_retryable'))
  expect(got).toEqual([])
})

test('each message of a batch may have files, in the request or by URL', async () => {
  const file = { filename: 'a.txt', content_type: 'text/plain' }
  const withFile = (more: object) => emailTo(freshAddress(), { attachments: [{ ...file, ...more }] })
  // As many by URL as are read at the same time: further ones wait, for a limited time.
  const requests = [
    ...Array.from({ length: 96 }, () => withFile({ content: 'YQ==' })),
    ...Array.from({ length: 4 }, () => withFile({ url: `${env.stack.receiverUrl}/ok/file` })),
  ]
  const { body } = await postUntilTaken(env, '/api/v1/notifications/batch', { requests }, { key: one.apiKey })
  const accepted = body.results.map(({ status, error }: { status?: string; error?: object }) => error ?? status)
  expect(accepted).toEqual(Array(100).fill('accepted'))
})

test('a tenant whose files do not arrive takes four downloads, gets 429 for more, and holds no other tenant up', async () => {
  const withFile = (url: string) =>
    emailTo(freshAddress(), { attachments: [{ filename: 'a.txt', content_type: 'text/plain', url }] })
  const good = withFile(`${env.stack.receiverUrl}/ok/file`)
  // A download is given up after four seconds. If the others were asked for later, all is repeated.
  const late = await eventually(async () => {
    const path = freshPath('hang')
    const hanging = withFile(env.stack.receiverUrl + path)
    const first = Array.from({ length: 4 }, () => send(one, hanging))
    await untilReceived(env, path, 4)
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const ask = () => env.api('POST', '/api/v1/notifications', { key: one.apiKey, body: good, headers })
    const [refused, ...others] = await Promise.all([ask(), ...Array.from({ length: 4 }, () => send(other, good))])
    const ended = await Promise.all(first)
    expectProblem(refused, 429, 'rate_limited')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(others.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    // The gateway waits a second longer than a download may take: on a busy machine it gives up first.
    for (const { status } of ended) expect([422, 503]).toContain(status)
    return ask
  })
  // Nothing of a refused request is kept, and its room is free again.
  const kept = 'select count(*)::int as count from dispatch.notifications where tenant_id = $1'
  const { rows: before } = await env.admin.query(kept, [one.tenantId])
  await eventually(async () => expect((await late()).status).toBe(202))
  const { rows: after } = await env.admin.query(kept, [one.tenantId])
  expect(after[0].count).toBe(before[0].count + 1)
})
