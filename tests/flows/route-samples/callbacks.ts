import { createHmac } from 'node:crypto'
import { newId } from '@notify/contracts'
import { type ApiResponse, emailEvents, type TestEnv } from '@notify/dev-env'
import { callbackAddress, demoAccount, postForm, signature, statusFields } from '@notify/test-kit/callbacks'
import { type StandInSns, sesEvent } from '@notify/test-kit/ses'
import { freshPhone, send } from '@notify/test-kit/sms'
import type { Samples } from './sample.ts'

export function callbackSamples(env: TestEnv, sns: StandInSns): Samples {
  const account = demoAccount(env)
  const signedForm = (address: string, form: Record<string, string>) => () =>
    postForm(env, {
      fields: form,
      address,
      signed: signature(account.authToken, env.stack.url('gateway') + address, form),
    })
  return {
    ...Object.fromEntries(
      ['sharedCloudCallback', 'cloudCallback'].map((name) => [name, () => ({ call: () => postUpdate(env, name) })]),
    ),
    ...Object.fromEntries(
      ['sharedCloudVerification', 'cloudVerification'].map((name) => [
        name,
        () => ({ call: () => verifyAddress(env, name) }),
      ]),
    ),
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
    carrierCallback: async () => {
      const credentials = {
        server_token: 'token-of-a-sample',
        webhook_password: 'password-of-a-sample',
        from: 'a@example.com',
      }
      const provider = { channel: 'email', kind: 'postmark', name: 'Sample', credentials }
      const { body } = await env.api('POST', '/api/v1/providers', { token: env.operatorToken, body: provider })
      const authorization = `Basic ${Buffer.from('any:password-of-a-sample').toString('base64')}`
      return {
        call: () =>
          env.api('POST', `/api/v1/callbacks/carriers/postmark/${body.provider_id}`, {
            key: null,
            raw: '{"RecordType":"Open","MessageID":"m-1"}',
            headers: { 'content-type': 'application/json', authorization },
          }),
      }
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

/** A webhook of WhatsApp without content, to the shared URL or to that of a provider. */
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
