import { newId } from '@notify/contracts'
import type { ApiResponse, TestEnv } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { callbackAddress, demoAccount, report, signature, statusFields } from '@notify/test-kit/callbacks'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { freshPath } from '@notify/test-kit/webhooks'
import { optIn, shippedTo, untilTemplates } from '@notify/test-kit/whatsapp'
import { exampleBody, made } from '../route-samples/sample.ts'
import type { Kinds } from './load.ts'

/** The requests of callers: sends of each channel, codes, inboxes, reads and writes of operators, callbacks, exports. */
export async function kindsOf(env: TestEnv): Promise<Kinds> {
  return {
    ...(await sendsOf(env)),
    ...(await readsOf(env)),
    ...(await writesOf(env)),
    callback: () => report(env, attempt(), 'delivered'),
    'callback past the gateway': () => reportDirectly(env),
  }
}

/** Reads that cost little, so that many can be made. */
export function cheapKindsOf(env: TestEnv): Kinds {
  return {
    me: () => env.api('GET', '/api/v1/me'),
    'user token keys': () => env.api('GET', '/.well-known/jwks.json', { key: null }),
  }
}

async function sendsOf(env: TestEnv): Promise<Kinds> {
  const phone = freshPhone()
  await optIn(env, phone)
  await untilTemplates(env)
  const user = freshUser()
  const url = env.stack.receiverUrl + freshPath('ok')
  const data = { name: 'Ada', order: 'A-1' }
  const { code } = exampleBody('verifyOtp') as { code: string }
  return {
    sms: () => post(env, smsTo(freshPhone())),
    email: () => post(env, emailTo(freshAddress())),
    whatsapp: () => post(env, shippedTo(phone)),
    'in-app': () => post(env, { channel: 'in_app', recipient: user, title: 'Hi', body: 'Hello' }),
    webhook: () => post(env, { channel: 'webhook', event_key: 'order.shipped', recipient: { url }, data }),
    batch: () =>
      env.api('POST', '/api/v1/notifications/batch', {
        body: { requests: Array.from({ length: 5 }, () => smsTo(freshPhone())) },
      }),
    code: () => {
      const body = exampleBody('sendOtp', { recipient: freshPhone(), code })
      return andThen(env.api('POST', '/api/v1/otp/send', { body }), ({ transaction_id }) =>
        env.api('POST', '/api/v1/otp/verify', { body: { transaction_id, code } }),
      )
    },
    consent: () => optIn(env, freshPhone()),
  }
}

async function readsOf(env: TestEnv): Promise<Kinds> {
  const user = freshUser()
  await sendInApp(env, user)
  const token = await userToken(env, user)
  const { notifications } = await untilInbox(env, token, 1)
  const operator = (path: string) => () => env.api('GET', path, { token: env.operatorToken })
  return {
    inbox: () => env.api('GET', '/api/v1/inbox', { token }),
    mark: () => env.api('PATCH', `/api/v1/inbox/${notifications[0].id}`, { token, body: { is_read: true } }),
    activity: operator('/api/v1/activity'),
    summary: operator('/api/v1/activity/summary'),
    events: operator(`/api/v1/applications/${env.applicationId}/events`),
    consents: operator('/api/v1/whatsapp/opt-ins'),
    subscriptions: operator('/api/v1/webhook-subscriptions'),
    'export of the activity': operator('/api/v1/activity/export?channel=email'),
    'export of the audit log': operator('/api/v1/audit-log/export'),
  }
}

async function writesOf(env: TestEnv): Promise<Kinds> {
  const { template_id } = await made(env, '/api/v1/templates', exampleBody('createTemplate'))
  const { application_id } = await made(env, '/api/v1/applications', exampleBody('createApplication'))
  const application = `/api/v1/applications/${application_id}`
  const receiver = env.stack.receiverUrl + freshPath('ok')
  const subscribing = exampleBody('createWebhookSubscription', { application_id: env.applicationId, url: receiver })
  const { subscription_id } = await made(env, '/api/v1/webhook-subscriptions', subscribing)
  const write = (method: string, path: string, body?: unknown) =>
    env.api(method, path, { token: env.operatorToken, ...(body === undefined ? {} : { body }) })
  return {
    'user token': () => env.api('POST', '/api/v1/in-app/tokens', { body: { user_id: freshUser() } }),
    template: () => write('PUT', `/api/v1/templates/${template_id}`, exampleBody('replaceTemplate')),
    application: () => write('PATCH', application, { name: `Shop ${crypto.randomUUID()}` }),
    'API key': () =>
      andThen(write('POST', `${application}/keys`, exampleBody('createApiKey')), ({ key_id }) =>
        write('DELETE', `${application}/keys/${key_id}`),
      ),
    suppression: () =>
      andThen(
        write('POST', '/api/v1/suppressions', exampleBody('addSuppression', { recipient: freshPhone() })),
        ({ suppression_id }) => write('DELETE', `/api/v1/suppressions/${suppression_id}`),
      ),
    subscription: () =>
      write('PATCH', `/api/v1/webhook-subscriptions/${subscription_id}`, { url: `${receiver}/${crypto.randomUUID()}` }),
  }
}

/** Makes a second request from the answer to the first. @returns the second answer, or the first if that failed */
async function andThen(
  first: Promise<ApiResponse>,
  second: (body: ApiResponse['body']) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const answer = await first
  return answer.status < 300 ? second(answer.body) : answer
}

const attempt = () => ({ notificationId: newId('notif'), attemptId: newId('att') })

/** Like the ingress of k8s/components, which routes carriers directly to callbacks. */
function reportDirectly(env: TestEnv): Promise<ApiResponse> {
  const account = demoAccount(env)
  const address = callbackAddress(attempt(), account)
  const form = statusFields(account, 'delivered')
  return env.call('callbacks', 'POST', address, {
    raw: new URLSearchParams(form).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature(account.authToken, env.stack.url('gateway') + address, form),
    },
  })
}
