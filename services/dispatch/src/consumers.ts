import { type Channel, type Lane, messageReceived, receiptReceived, sendRequested } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Config } from './config.ts'
import type { WorkerContext } from './context.ts'
import { createReceiptRecorder } from './receipts/record-receipt.ts'
import { createSender } from './sending/send-notification.ts'
import { applyKeyword } from './suppressions/apply-keyword.ts'
import { suppressRecipient } from './suppressions/suppress-recipient.ts'

const retry = ['250ms', '1s', '5s', '15s']

/** What the `worker` role does. */
export function consumersOf(context: WorkerContext): readonly ConsumerEntry<WorkerContext>[] {
  const record = createReceiptRecorder(context)
  return [
    ...lanesOf(context.config).map(({ lane, channel, concurrency }): ConsumerEntry<WorkerContext> => {
      const send = createSender(context)
      return consumer(sendRequested, {
        durable: `dispatch-send-${lane}-${channel}`,
        where: { lane, channel },
        concurrency,
        retry,
        handle: (_context, work, delivery) => send(work, delivery),
      })
    }),
    consumer(receiptReceived, {
      durable: 'dispatch-receipt-sms',
      where: { channel: 'sms' },
      concurrency: 256,
      retry,
      // What else a status may say (21610: the recipient has unsubscribed) is too rare for a consumer of its own.
      handle: async (_context, receipt) => {
        await suppressRecipient(context, receipt)
        await record(receipt)
      },
    }),
    consumer(receiptReceived, {
      durable: 'dispatch-receipt-email',
      where: { channel: 'email' },
      concurrency: 256,
      retry,
      handle: (_context, receipt) => record(receipt),
    }),
    consumer(receiptReceived, {
      durable: 'dispatch-suppression-email',
      where: { channel: 'email' },
      concurrency: 16,
      retry,
      handle: suppressRecipient,
    }),
    consumer(messageReceived, {
      durable: 'dispatch-message-received',
      concurrency: 16,
      retry,
      handle: applyKeyword,
    }),
  ]
}

/**
 * Each lane of each channel has a consumer and a sender of its own: neither pace nor batches of one are shared with another,
 * so a campaign never delays what cannot wait, nor a slow mail server a text message.
 */
function lanesOf(config: Config): { lane: Lane; channel: Channel; concurrency: number }[] {
  const { SEND_CONCURRENCY, BULK_CONCURRENCY, EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY } = config
  return [
    { lane: 'otp', channel: 'sms', concurrency: SEND_CONCURRENCY },
    { lane: 'transactional', channel: 'sms', concurrency: SEND_CONCURRENCY },
    { lane: 'bulk', channel: 'sms', concurrency: BULK_CONCURRENCY },
    { lane: 'otp', channel: 'email', concurrency: EMAIL_CONCURRENCY },
    { lane: 'transactional', channel: 'email', concurrency: EMAIL_CONCURRENCY },
    { lane: 'bulk', channel: 'email', concurrency: EMAIL_BULK_CONCURRENCY },
  ]
}
