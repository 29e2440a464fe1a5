import { expect } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'

/** The stack of all tests of the management API. */
export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent', 'webhook-delivery'], { apart: ['gateway'] })
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** A call of the operator, or of another caller. */
export const call = (method: Method, path: string, body?: unknown, token = env.operatorToken) =>
  asOperator(env, method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) })

export async function newApplication(body: object = {}) {
  const answer = await call('POST', '/applications', { name: 'Shop', ...body })
  expect(answer.status).toBe(201)
  return answer.body
}

export async function newKey(applicationId: string, body: object = {}) {
  const settings = { name: 'Server', permissions: ['notifications:send', 'notifications:read'], ...body }
  const answer = await call('POST', `/applications/${applicationId}/keys`, settings)
  expect(answer.status).toBe(201)
  return answer.body
}

/** The newest entries of the audit log that concern a resource. */
export async function auditOf(resourceId: string) {
  const { body } = await call('GET', `/audit-log?resource_id=${resourceId}`)
  return body.items as { action: string; actor: object; before: unknown; after: unknown; request_id: string }[]
}

export const untilAudited = (resourceId: string, actions: readonly string[]) =>
  eventually(async () => {
    const entries = await auditOf(resourceId)
    expect(entries.map(({ action }) => action)).toEqual(actions)
    return entries
  })
