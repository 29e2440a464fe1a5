import { messageReceived, receiptReceived, sendRequested } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { carriedChannels } from './channels/channel.ts'
import type { WorkerContext } from './context.ts'
import { handOffConsumers } from './hand-offs/hand-off-consumers.ts'
import { createReceiptRecorder } from './receipts/record-receipt.ts'
import { createSender } from './sending/send-notification.ts'
import { applyKeyword } from './suppressions/apply-keyword.ts'
import { suppressRecipient } from './suppressions/suppress-recipient.ts'

const retry = ['250ms', '1s', '5s', '15s']

/**
 * What the `worker` role does. Each lane of each channel has a consumer and a sender of its own: neither pace nor batches of
 * one are shared with another, so a campaign never delays what cannot wait, nor a slow mail server a text message.
 */
export function consumersOf(context: WorkerContext): readonly ConsumerEntry<WorkerContext>[] {
  const carried = carriedChannels(context.channels)
  const record = createReceiptRecorder(context)
  return [
    ...carried.flatMap(({ name: channel, delivery }) =>
      delivery.lanes(context.config).map((settings): ConsumerEntry<WorkerContext> => {
        const { lane, concurrency } = settings
        const send = createSender(context, settings)
        return consumer(sendRequested, {
          durable: `dispatch-send-${lane}-${channel}`,
          where: { lane, channel },
          concurrency,
          retry,
          handle: (_context, work, delivery) => send(work, delivery),
        })
      }),
    ),
    ...carried.map(
      ({ name: channel, delivery: { receipts } }): ConsumerEntry<WorkerContext> =>
        consumer(receiptReceived, {
          durable: `dispatch-receipt-${channel}`,
          where: { channel },
          concurrency: receipts.concurrency,
          retry,
          handle: async (_context, receipt) => {
            if (receipts.suppressionConcurrency === undefined) await suppressRecipient(context, receipt)
            await record(receipt)
          },
        }),
    ),
    ...carried.flatMap(({ name: channel, delivery: { receipts } }): ConsumerEntry<WorkerContext>[] =>
      receipts.suppressionConcurrency === undefined
        ? []
        : [
            consumer(receiptReceived, {
              durable: `dispatch-suppression-${channel}`,
              where: { channel },
              concurrency: receipts.suppressionConcurrency,
              retry,
              handle: suppressRecipient,
            }),
          ],
    ),
    ...handOffConsumers(context),
    consumer(messageReceived, {
      durable: 'dispatch-message-received',
      concurrency: 16,
      retry,
      handle: applyKeyword,
    }),
  ]
}
