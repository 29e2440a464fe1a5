import { messageReceived, receiptReceived, sendRequested } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { WorkerContext } from './context.ts'
import { createReceiptRecorder } from './receipts/record-receipt.ts'
import { createSender } from './sending/send-notification.ts'
import { applyKeyword } from './suppressions/apply-keyword.ts'
import { suppressRecipient } from './suppressions/suppress-recipient.ts'

const retry = ['250ms', '1s', '5s', '15s']

/** What the `worker` role does: each lane has a consumer of its own, so that a campaign never delays what cannot wait. */
export function consumersOf(context: WorkerContext): readonly ConsumerEntry<WorkerContext>[] {
  const { SEND_CONCURRENCY, BULK_CONCURRENCY } = context.config
  // One sender for each lane: neither pace nor batches of one are shared with the other.
  const sendTransactional = createSender(context)
  const sendBulk = createSender(context)
  const record = createReceiptRecorder(context)
  return [
    consumer(sendRequested, {
      durable: 'dispatch-send-transactional-sms',
      where: { lane: 'transactional', channel: 'sms' },
      concurrency: SEND_CONCURRENCY,
      retry,
      handle: (_context, work, delivery) => sendTransactional(work, delivery),
    }),
    consumer(sendRequested, {
      durable: 'dispatch-send-bulk-sms',
      where: { lane: 'bulk', channel: 'sms' },
      concurrency: BULK_CONCURRENCY,
      retry,
      handle: (_context, work, delivery) => sendBulk(work, delivery),
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
