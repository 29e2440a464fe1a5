import { createHmac } from 'node:crypto'
import { callbackAddress, demoAccount, postForm, signature, statusFields } from '@notify/test-kit/carrier-callback'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { sesEvent } from '@notify/test-kit/ses-event'
import { freshPhone, post, send, smsTo } from '@notify/test-kit/sms'
import type { StandInSns } from '@notify/test-kit/sns'
import { gatewayItself, newId, type Route } from '../../packages/contracts/src/index.ts'
import type { ApiRequest, ApiResponse, TestEnv } from '../../packages/dev-env/src/index.ts'
import { emailEvents } from '../../packages/dev-env/src/seed.ts'
import { createPrincipalSigner, principalHeader } from '../../packages/service-kit/src/index.ts'

/** A request that a route answers with success; `at` tells the callers of one moment apart. */
interface Sample {
  params?: Record<string, string>
  body?: unknown
  /** Of the end user who calls. */
  token?: string
  /** For routes that are called in a way of their own. */
  call?(): Promise<ApiResponse>
}

export type Samples = Record<string, (at: number) => Sample | Promise<Sample>>

const later = () => new Date(Date.now() + 86_400_000).toISOString()
const templates = { sms: { body: 'Hello {{name}}' } }

/** A request for each route, by the route's name. A new route needs a line here. */
export function samplesOf(env: TestEnv, sns: StandInSns): Samples {
  const account = demoAccount(env)
  const token = env.operatorToken
  const made = async (path: string, body: unknown) => {
    const answer = await env.api('POST', path, { token, body })
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const template = async () => {
    const { template_id } = await made('/api/v1/templates', { name: 'Hello', templates })
    return { params: { template_id } }
  }
  const domain = async () => ({ params: { domain_id: await copyDomain(env) } })
  const asUser = async () => ({ token: await userToken(env, freshUser()) })
  const received = async () => {
    const user = freshUser()
    await sendInApp(env, user)
    const token = await userToken(env, user)
    const { notifications } = await untilInbox(env, token, 1)
    return { token, params: { id: notifications[0].id } }
  }
  const newSubscription = () => ({
    application_id: env.applicationId,
    url: `${env.stack.receiverUrl}/ok/${crypto.randomUUID()}`,
    events: ['notification.failed'],
  })
  const subscription = async () => {
    const { subscription_id } = await made('/api/v1/webhook-subscriptions', newSubscription())
    return { params: { subscription_id } }
  }
  const webhookDelivery = async () => {
    const { params } = await subscription()
    return { params: { delivery_id: await exhausted(env, params.subscription_id) } }
  }
  const signedForm = (address: string, form: Record<string, string>) => () =>
    postForm(env, {
      fields: form,
      address,
      signed: signature(account.authToken, env.stack.url('gateway') + address, form),
    })
  return {
    acceptNotifications: () => ({ call: () => acceptDirectly(env) }),
    acceptServiceNotifications: () => ({ call: () => acceptForOtp(env) }),
    compareNotifications: () => ({ call: () => compareDirectly(env) }),
    createNotification: () => ({ body: smsTo(freshPhone()) }),
    createNotificationBatch: async () => {
      // What dispatch has not in memory yet: judging asks the database.
      const fields = { ...(await template()).params, body: undefined, template_data: { name: 'Ada' } }
      return { body: { requests: Array.from({ length: 5 }, () => smsTo(freshPhone(), fields)) } }
    },
    getNotification: async () => ({ params: { notification_id: await send(env) } }),
    cancelNotification: async () => ({
      params: { notification_id: await send(env, freshPhone(), { send_at: later() }) },
    }),
    listActivity: () => ({}),
    retryActivity: async () => ({ params: { id: await failed(env) } }),
    listDomains: () => ({}),
    createDomain: () => ({ body: { domain: `${crypto.randomUUID()}.example` } }),
    getDomain: domain,
    deleteDomain: domain,
    verifyDomain: domain,
    listSuppressions: () => ({}),
    addSuppression: () => ({ body: { channel: 'sms', recipient: freshPhone() } }),
    liftSuppression: async () => {
      const { suppression_id } = await made('/api/v1/suppressions', { channel: 'sms', recipient: freshPhone() })
      return { params: { suppression_id } }
    },
    createOptIn: () => ({ body: { phone_e164: freshPhone(), source: 'web_form' } }),
    createOptOut: () => ({ body: { phone_e164: freshPhone() } }),
    listOptIns: () => ({}),
    getOptIn: async () => {
      const phone_e164 = freshPhone()
      await env.api('POST', '/api/v1/whatsapp/opt-ins', { body: { phone_e164, source: 'web_form' } })
      return { params: { phone_e164 } }
    },
    listWhatsAppTemplates: () => ({}),
    syncWhatsAppTemplates: () => ({}),
    ...Object.fromEntries(
      ['sharedCloudCallback', 'cloudCallback'].map((name) => [name, () => ({ call: () => postUpdate(env, name) })]),
    ),
    ...Object.fromEntries(
      ['sharedCloudVerification', 'cloudVerification'].map((name) => [
        name,
        () => ({ call: () => verifyAddress(env, name) }),
      ]),
    ),
    checkConsents: () => ({ call: () => checkDirectly(env) }),
    listTemplates: () => ({}),
    createTemplate: () => ({ body: { name: 'Hello', templates } }),
    getTemplate: template,
    replaceTemplate: async () => ({ ...(await template()), body: { name: 'Hello', templates } }),
    deleteTemplate: template,
    previewTemplate: async () => ({ ...(await template()), body: { template_data: { name: 'Ada' } } }),
    sendOtp: () => ({ body: { channel: 'sms', recipient: freshPhone() } }),
    resendOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
    verifyOtp: async () => ({ body: { transaction_id: await sentOtp(env, { code: '123456' }), code: '123456' } }),
    getOtp: async () => ({ params: { transaction_id: await sentOtp(env) } }),
    createUserToken: () => ({ body: { user_id: freshUser() } }),
    getUserTokenKeys: () => ({}),
    listInbox: asUser,
    getUnreadCount: asUser,
    readWholeInbox: async () => ({ ...(await asUser()), body: {} }),
    markInboxNotification: async () => ({ ...(await received()), body: { is_read: true } }),
    deleteInboxNotification: received,
    streamInbox: async () => {
      const { token } = await asUser()
      return { call: () => openStream(env, token) }
    },
    listWebhookSubscriptions: () => ({}),
    createWebhookSubscription: () => ({ body: newSubscription() }),
    getWebhookSubscription: subscription,
    changeWebhookSubscription: async () => ({ ...(await subscription()), body: { description: 'Changed' } }),
    deleteWebhookSubscription: subscription,
    rotateWebhookSecret: subscription,
    testWebhookSubscription: subscription,
    listWebhookDeliveries: subscription,
    replayWebhookDeliveries: async () => ({ ...(await subscription()), body: { since: new Date().toISOString() } }),
    getWebhookDelivery: webhookDelivery,
    replayWebhookDelivery: webhookDelivery,
    smsStatusCallback: async () => {
      const address = callbackAddress({ notificationId: await send(env), attemptId: newId('att') }, account)
      return { call: signedForm(address, statusFields(account, 'sent')) }
    },
    smsInboundCallback: () => {
      const address = '/api/v1/callbacks/smsprovider/inbound'
      const form = {
        AccountSid: account.sid,
        MessageSid: newId('msg'),
        From: freshPhone(),
        To: '+15005550006',
        Body: 'Hi',
      }
      return { call: signedForm(address, form) }
    },
    emailCallback: async () => ({
      call: () =>
        env.api('POST', `/api/v1/callbacks/email/${env.stack.state.ses_provider_id}`, {
          key: null,
          raw: JSON.stringify(
            sns.message({
              TopicArn: emailEvents.topicArn,
              Message: JSON.stringify(sesEvent('Delivery', {}, undefined)),
            }),
          ),
          headers: { 'content-type': 'text/plain; charset=UTF-8' },
        }),
    }),
  }
}

/** Calls a route of the public API as the caller that it is for. */
export function callRoute(
  env: TestEnv,
  route: Route,
  sample: Sample,
  { headers = {}, search = '' }: { headers?: Record<string, string>; search?: string } = {},
) {
  if (sample.call) return sample.call()
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => sample.params?.[name] ?? 'missing') + search
  const { token = route.auth.caller === 'operator' ? env.operatorToken : undefined } = sample
  const caller: ApiRequest = token === undefined ? { key: env.apiKey } : { token }
  const body = sample.body === undefined ? {} : { body: sample.body }
  return env.api(route.method, path, { ...caller, ...body, headers })
}

async function sentOtp(env: TestEnv, fields: object = {}): Promise<string> {
  const { body } = await env.api('POST', '/api/v1/otp/send', {
    body: { channel: 'sms', recipient: freshPhone(), ...fields },
  })
  return body.transaction_id
}

/** A notification that an operator may retry. */
async function failed(env: TestEnv): Promise<string> {
  const id = (await post(env, smsTo(freshPhone(), { send_at: later() }))).body.notification_id
  await env.admin.query(
    `update dispatch.notifications set status = 'failed', retryable = true, next_attempt_at = null where id = $1`,
    [id],
  )
  return id
}

/** A delivery that an operator may replay. */
async function exhausted(env: TestEnv, subscriptionId: string): Promise<string> {
  const id = newId('whdel')
  await env.admin.query(
    `insert into webhook_delivery.deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body,
       status, finished_at) values ($1, $2, $3, $4, $4, 'notification.failed', '', 'exhausted', now())`,
    [id, env.tenantId, env.applicationId, subscriptionId],
  )
  return id
}

/** A domain without the time that a new key takes. */
async function copyDomain(env: TestEnv): Promise<string> {
  const id = newId('dom')
  const { rowCount } = await env.admin.query(
    `insert into dispatch.domains
     select (jsonb_populate_record(d, jsonb_build_object('id', $1::text, 'domain', $1 || '.example'))).*
     from dispatch.domains d where domain = 'first.example'`,
    [id],
  )
  if (rowCount === 0) await env.api('POST', '/api/v1/domains', { body: { domain: 'first.example' } })
  return rowCount === 0 ? copyDomain(env) : id
}

/** Opens a stream and closes it after its first event: it would not end. */
async function openStream(env: TestEnv, token: string): Promise<ApiResponse> {
  const closing = new AbortController()
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
  const url = `${env.stack.url('gateway')}/api/v1/in-app/stream`
  const response = await fetch(url, { headers, signal: closing.signal })
  const { value } = await response.body!.getReader().read()
  closing.abort()
  const text = Buffer.from(value ?? []).toString()
  return { status: response.status, headers: response.headers, body: text, text }
}

async function acceptDirectly(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  const principal = await sign({
    kind: 'key',
    key_id: newId('key'),
    mode: 'live',
    tenant_id: env.tenantId as `ten_${string}`,
    application_id: env.applicationId as `app_${string}`,
    permissions: ['notifications:send'],
  })
  const items = Array.from({ length: 4 }, () => ({
    notification_id: newId('notif'),
    principal: 0,
    request: smsTo(freshPhone()),
  }))
  return env.call('dispatch-api', 'POST', '/internal/v1/notifications/accept', {
    body: { principals: [principal], items },
  })
}

async function acceptForOtp(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.otp_signing_key, 'otp')
  const principal = await sign({ kind: 'service', service: 'otp', permissions: ['notifications:accept'] })
  const { tenantId: tenant_id, applicationId: application_id } = env
  const items = Array.from({ length: 4 }, () => ({
    notification_id: newId('notif'),
    ...{ tenant_id, application_id, mode: 'live', lane: 'otp' },
    request: smsTo(freshPhone()),
  }))
  // Once more, with one that is refused: what was committed is looked for.
  const refused = { ...items[0], notification_id: newId('notif'), request: smsTo('12') }
  const call = () =>
    env.call('dispatch-api', 'POST', '/internal/v1/notifications', {
      headers: { [principalHeader]: principal },
      body: { items: [...items, refused] },
    })
  await call()
  return call()
}

async function compareDirectly(env: TestEnv): Promise<ApiResponse> {
  const sign = await createPrincipalSigner(env.stack.state.principal_signing_key)
  return env.call('dispatch-api', 'POST', '/internal/v1/notifications/compare', {
    headers: { [principalHeader]: await sign(gatewayItself) },
    body: { after: '', until: newId('notif'), quiet_seconds: 0, known: {} },
  })
}

function checkDirectly(env: TestEnv): Promise<ApiResponse> {
  const subjects = [{ tenant_id: env.tenantId, mode: 'live', recipient_index: 'nobody' }]
  return env.call('consent', 'POST', '/internal/v1/whatsapp/consents/check', { body: { subjects } })
}

/** A webhook of WhatsApp that says nothing, on the shared address or on the own one. */
function postUpdate(env: TestEnv, name: string): Promise<ApiResponse> {
  const { meta_shared_app_secret, meta_own_app_secret, meta_own_provider_id } = env.stack.state
  const [place, secret] =
    name === 'cloudCallback' ? [meta_own_provider_id, meta_own_app_secret] : ['shared', meta_shared_app_secret]
  const raw = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
  const signed = createHmac('sha256', secret).update(raw).digest('hex')
  return env.api('POST', `/api/v1/callbacks/cloud/${place}`, {
    key: null,
    raw,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signed}` },
  })
}

function verifyAddress(env: TestEnv, name: string): Promise<ApiResponse> {
  const { meta_verify_token, meta_own_verify_token, meta_own_provider_id } = env.stack.state
  const [place, token] =
    name === 'cloudVerification' ? [meta_own_provider_id, meta_own_verify_token] : ['shared', meta_verify_token]
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': token,
    'hub.challenge': '1158201444',
  })
  return env.api('GET', `/api/v1/callbacks/cloud/${place}?${query}`, { key: null })
}
