import { expect } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { asOperator, post } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'

/** The stack of all tests of events. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch'], { apart: ['dispatch-api'] })
}

export const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)
export const listPath = (applicationId = env.applicationId) => `/api/v1/applications/${applicationId}/events`
export const of = (key: string, rest = '') => `${listPath()}/${key}${rest}`

let serial = 0
const freshKey = () => `order.test-${++serial}`
export const sms = (body: string) => ({ sms: { body } })
export const record = (fields: object = {}) => ({
  event_key: freshKey(),
  name: 'Order',
  allowed_channels: ['sms'],
  templates: sms('First {{ name }}'),
  ...fields,
})

export async function create(fields: object = {}) {
  const answer = await call('POST', listPath(), { body: record(fields) })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

export async function act(key: string, action: string, request: ApiRequest = {}) {
  const answer = await call('POST', of(key, `/${action}`), request)
  expect([answer.status, answer.body.detail]).toEqual([200, undefined])
  return answer.body
}

export const save = (key: string, templates: object, fields: object = {}) =>
  call('PUT', of(key), { body: { name: 'Order', allowed_channels: ['sms'], templates, ...fields } })

export const send = (key: string) =>
  post(env, { channel: 'sms', recipient: { phone: freshPhone() }, event_key: key, data: { name: 'Ada' } })

export async function textOf(key: string) {
  const phone = freshPhone()
  const answer = await post(env, { channel: 'sms', recipient: { phone }, event_key: key, data: { name: 'Ada' } })
  expect([answer.status, answer.body.detail]).toEqual([202, undefined])
  return eventually(async () => {
    const [message] = await env.messages({ to: phone })
    expect(message).toBeDefined()
    return message!.text
  })
}
