import { expect } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, type TestEnv } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { exampleBody, made, type Samples, tomorrow } from './sample.ts'

export function gatewaySamples(env: TestEnv): Samples {
  const application = async () => {
    const { application_id } = await made(env, '/api/v1/applications', exampleBody('createApplication'))
    return { params: { application_id } }
  }
  const key = async () => {
    const { params } = await application()
    const { key_id } = await made(
      env,
      `/api/v1/applications/${params.application_id}/keys`,
      exampleBody('createApiKey'),
    )
    return { params: { ...params, key_id } }
  }
  return {
    listActivity: () => ({}),
    summarizeActivity: () => ({}),
    exportActivity: () => ({}),
    getActivity: async () => ({ params: { id: await shown(env) } }),
    createRetryJob: () => ({ fresh: { event_key: crypto.randomUUID() } }),
    listRetryJobs: () => ({}),
    getRetryJob: async () => ({ params: { retry_id: await retryJob(env) } }),
    cancelRetryJob: async () => ({ params: { retry_id: await retryJob(env, true) } }),
    retryActivity: async () => ({ params: { id: await failed(env) } }),
    listApplications: () => ({}),
    createApplication: () => ({}),
    getApplication: application,
    changeApplication: application,
    deleteApplication: application,
    listApiKeys: application,
    createApiKey: application,
    getApiKey: key,
    changeApiKey: key,
    revokeApiKey: key,
    rotateApiKey: key,
    listApiRequests: async () => {
      await post(env, {})
      return { params: { application_id: env.applicationId } }
    },
    lookUpRecipient: () => ({}),
    findById: () => ({ search: '?id=order.shipped' }),
    listAuditLog: () => ({}),
    exportAuditLog: () => ({}),
    getUsage: () => ({}),
    listUsageLocales: () => ({}),
    listUsageMessages: () => ({}),
    getPrices: () => ({}),
    putPrices: () => ({}),
    getMe: () => ({}),
    listOperators: async () => {
      for (let i = 0; i < 2; i++) await seenOperator(env)
      return {}
    },
    eraseOperator: async () => ({ params: { operator_id: await seenOperator(env) } }),
  }
}

/** Sends a notification, and waits until the activity shows it. */
async function shown(env: TestEnv): Promise<string> {
  const id = (await post(env, smsTo(freshPhone()))).body.notification_id
  await eventually(async () => {
    const { status } = await env.api('GET', `/api/v1/activity/${id}`, { token: env.operatorToken })
    expect(status).toBe(200)
  })
  return id
}

/** A job without items. @param held whether it stays unfinished, like one that another worker has claimed */
async function retryJob(env: TestEnv, held = false): Promise<string> {
  const id = newId('retry')
  await env.admin.query(
    `insert into gateway.retry_jobs (id, tenant_id, requested_by, filters, count, count_capped, finished_at)
     values ($1, $2, 'operator', '{}', 0, false, $3)`,
    [id, env.tenantId, held ? null : new Date()],
  )
  return id
}

/** An operator whose token has a name, once it has been stored. */
async function seenOperator(env: TestEnv): Promise<string> {
  const token = operatorToken(env, { sub: crypto.randomUUID(), name: 'Ada' })
  const { operator_id } = (await env.api('GET', '/api/v1/me', { token })).body
  await eventually(async () => {
    const { rows } = await env.admin.query('select from gateway.operators where id = $1', [operator_id])
    expect(rows).toHaveLength(1)
  })
  return operator_id
}

/** A failed notification that an operator may retry. */
async function failed(env: TestEnv): Promise<string> {
  const id = (await post(env, smsTo(freshPhone(), { send_at: tomorrow() }))).body.notification_id
  await env.admin.query(
    `update dispatch.notifications set status = 'failed', retryable = true, next_attempt_at = null where id = $1`,
    [id],
  )
  return id
}
