import { expect } from '@jest/globals'
import { type ApiRequest, TestEnv } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'

/** The stack of all tests of providers. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'], {
    apart: ['dispatch-api', 'dispatch-worker'],
  })
}

export const path = '/api/v1/providers'
export const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)
export const of = (id: string, rest = '') => `${path}/${id}${rest}`

export const token = 'b'.repeat(28)
export const twilio = (fields: object = {}) => ({
  channel: 'sms',
  kind: 'twilio',
  name: 'Second account',
  credentials: { account_sid: `AC${'c'.repeat(32)}`, auth_token: `${token}9a8b`, from: '+15005550007' },
  ...fields,
})
export const webhook = (fields: object = {}) => ({ channel: 'webhook', kind: 'webhook', name: 'Hooks', ...fields })
export const whatsapp = (fields: object = {}, rest: object = {}) => ({
  channel: 'whatsapp',
  kind: 'whatsapp_cloud',
  name: 'Number',
  credentials: {
    phone_number_id: String(10 ** 12 + Math.floor(Math.random() * 10 ** 12)),
    business_account_id: '4711',
    access_token: 'EAA-this-is-an-access-token',
    ...fields,
  },
  ...rest,
})

export async function create(body: object, request: ApiRequest = {}) {
  const answer = await call('POST', path, { body, ...request })
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body
}

export const pathsOf = ({ body }: { body: { errors?: { path: string }[] } }) => body.errors?.map((one) => one.path)

export const smtp = (host: string, port = '587') => ({
  channel: 'email',
  kind: 'smtp',
  name: 'Relay',
  credentials: { host, port, security: 'none', from: 'no-reply@example.com' },
})
