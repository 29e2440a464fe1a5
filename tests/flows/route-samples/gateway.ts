import { freshPhone, post, smsTo } from '@notify/test-kit/sms'
import type { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { made, type Samples, tomorrow } from './sample.ts'

const newKey = { name: 'Server', permissions: ['notifications:send'] }

export function gatewaySamples(env: TestEnv): Samples {
  const application = async () => {
    const { application_id } = await made(env, '/api/v1/applications', { name: 'Shop' })
    return { params: { application_id } }
  }
  const key = async () => {
    const { params } = await application()
    const { key_id } = await made(env, `/api/v1/applications/${params.application_id}/keys`, newKey)
    return { params: { ...params, key_id } }
  }
  return {
    listActivity: () => ({}),
    retryActivity: async () => ({ params: { id: await failed(env) } }),
    listApplications: () => ({}),
    createApplication: () => ({ body: { name: 'Shop' } }),
    getApplication: application,
    changeApplication: async () => ({ ...(await application()), body: { name: 'Store' } }),
    deleteApplication: application,
    listApiKeys: application,
    createApiKey: async () => ({ ...(await application()), body: newKey }),
    getApiKey: key,
    revokeApiKey: key,
    rotateApiKey: async () => ({ ...(await key()), body: {} }),
    listAuditLog: () => ({}),
    exportAuditLog: () => ({}),
    getUsage: () => ({}),
    getMe: () => ({}),
  }
}

/** A notification that an operator may retry. */
async function failed(env: TestEnv): Promise<string> {
  const id = (await post(env, smsTo(freshPhone(), { send_at: tomorrow() }))).body.notification_id
  await env.admin.query(
    `update dispatch.notifications set status = 'failed', retryable = true, next_attempt_at = null where id = $1`,
    [id],
  )
  return id
}
