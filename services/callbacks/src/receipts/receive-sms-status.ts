import { type smsStatusCallback as contract, DeliveryStatus, type Receipt } from '@notify/contracts'
import { coalesce, type Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { readCorrelation, readStatusForm } from './read-status-form.ts'
import { type NewReceipt, receiptIdentity, recordReceipts } from './receipt-store.ts'
import { verifySignature } from './verify-signature.ts'

const Recorded = DeliveryStatus.exclude(['queued', 'scheduled', 'cancelled'])

/** Takes the SMS provider's status callbacks: verified, recorded once, answered 200 however often they come. */
export function createSmsStatusHandler(context: Context): Handler<Context, typeof contract> {
  const record = coalesce<NewReceipt, boolean>({
    maxBatch: 256,
    maxInFlight: 2,
    minIntervalMs: 5,
    async run(receipts) {
      const byIdentity = new Map(receipts.map((one) => [receiptIdentity(one.receipt), one]))
      const isNew = await recordReceipts(context.db, [...byIdentity.values()])
      if (isNew.size > 0) context.wakeOutbox()
      return receipts.map(({ receipt }) => isNew.has(receiptIdentity(receipt)))
    },
  })
  return async ({ smsProviders, config, metrics }, { body, headers, url, span }) => {
    const form = readStatusForm(body, headers['content-type'])
    const { notification_id, attempt_id, provider_id } = readCorrelation(url)
    const signed = {
      signature: headers['x-twilio-signature'],
      url: config.PUBLIC_URL + url,
      parameters: form.parameters,
    }
    const provider = verifySignature(await smsProviders.ofAccount(form.accountSid), signed, provider_id)
    const status = Recorded.safeParse(form.messageStatus)
    if (!status.success) {
      metrics.received('sms', 'ignored')
      return { status: 'ignored' }
    }
    const receipt: Receipt = {
      channel: 'sms',
      provider_id: provider.id as `prov_${string}`,
      provider_message_id: form.messageSid,
      ...(notification_id && attempt_id ? { notification_id, attempt_id } : {}),
      status: status.data,
      error_code: form.errorCode,
      received_at: new Date().toISOString(),
    }
    span.set({ 'receipt.status': receipt.status, ...(notification_id ? { 'notification.id': notification_id } : {}) })
    const isNew = await record({ receipt, traceparent: span.traceparent })
    metrics.received('sms', isNew ? 'recorded' : 'repeated')
    return { status: 'recorded' }
  }
}
