import { createHmac } from 'node:crypto'
import { expect } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { post, untilState } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { optIn, shippedTo, untilTemplates } from '@notify/test-kit/whatsapp'

export let env: TestEnv
export async function start(): Promise<void> {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'consent'], {
    apart: ['dispatch-api', 'dispatch-worker', 'callbacks', 'consent'],
  })
  await untilTemplates(env)
}

export const state = () => env.stack.state
export const sign = (secret: string, raw: string | Buffer) =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

/** Posts a webhook to the shared address, or to the own one of a provider. */
export function update(raw: string, { signature, own }: { signature?: string | undefined; own?: string } = {}) {
  const secret = own === undefined ? state().meta_shared_app_secret : state().meta_own_app_secret
  return env.api('POST', `/api/v1/callbacks/cloud/${own ?? 'shared'}`, {
    key: null,
    raw,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature ?? sign(secret, raw) },
  })
}

export const envelopeOf = (id: string | undefined, ...changes: object[]) =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id, time: 1, changes }] })
export const envelope = (...changes: object[]) => envelopeOf(state().meta_waba_id, ...changes)
export const ofNumber = (value: object, phone_number_id = state().meta_phone_number_id) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id }, ...value },
})

export async function rows(): Promise<number> {
  return (await env.admin.query('select count(*)::int as n from callbacks.received_callbacks')).rows[0].n
}

/** A message that the carrier took and says nothing more of by itself. */
export async function silentMessage() {
  const phone = freshPhone('0008')
  await optIn(env, phone)
  // If consent takes longer than 2 s, it is 503.
  const id = await eventually(async () => {
    const { status, body } = await post(env, shippedTo(phone))
    expect(status).toBe(202)
    return body.notification_id as string
  })
  const { attempts } = await untilState(env, id, { delivery_status: 'sent' })
  const { attempt_id, provider_message_id } = attempts[0]
  const opaque = `notification_id=${id}&attempt_id=${attempt_id}`
  const status = (word: string, fields: object = {}) => ({
    id: provider_message_id,
    status: word,
    timestamp: '1761548340',
    recipient_id: phone.slice(1),
    biz_opaque_callback_data: opaque,
    ...fields,
  })
  return { id, phone, status }
}
