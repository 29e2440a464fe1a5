import { expect } from '@jest/globals'
import { type ApiRequest, type ApiResponse, eventually, type TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'

export function postSend(env: TestEnv, body: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
  return env.api('POST', '/api/v1/otp/send', { body, ...request })
}

/** For a code that is to be sent: dispatch may take longer than the 2.5 s that otp waits. */
export function sendUntilTaken(env: TestEnv, body: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
  return postUntilTaken(env, '/api/v1/otp/send', body, request)
}

export function postVerify(env: TestEnv, id: string, code: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
  return env.api('POST', '/api/v1/otp/verify', { body: { transaction_id: id, code }, ...request })
}

export function postResend(env: TestEnv, id: string, request: ApiRequest = {}): Promise<ApiResponse> {
  return env.api('POST', `/api/v1/otp/${id}/resend`, request)
}

/** The state of a transaction as its application sees it. */
export async function otpState(env: TestEnv, id: string) {
  return (await env.api('GET', `/api/v1/otp/${id}`)).body
}

/** The code in a message. */
function codeIn(text: string): string {
  const code = /\b[0-9]{4,10}\b/.exec(text)?.[0]
  if (code === undefined) throw new Error(`no code in: ${text}`)
  return code
}

/** Waits for as many messages to a recipient. @returns their codes, newest first */
export function codesTo(env: TestEnv, to: string, count = 1): Promise<string[]> {
  return eventually(async () => {
    const messages = await env.messages({ to })
    expect(messages).toHaveLength(count)
    return messages.map(({ text }) => codeIn(text))
  })
}

/** Sends a code and waits until it has arrived. */
export async function sendCode(env: TestEnv, fields: object = {}, phone = freshPhone()) {
  const { status, body } = await sendUntilTaken(env, { channel: 'sms', recipient: phone, ...fields })
  expect([status, body.status]).toEqual([200, 'sent'])
  const [code] = await codesTo(env, phone)
  return { id: body.transaction_id as string, code: code!, phone }
}

/** A code of the same length that is wrong. */
export function wrong(code: string): string {
  return code.replace(/.$/, (last) => String((Number(last) + 1) % 10))
}
