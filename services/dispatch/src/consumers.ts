import { type Channel, type Lane, messageReceived, receiptReceived, sendRequested } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Config } from './config.ts'
import type { ConsumerContext } from './context.ts'
import { applyKeyword } from './suppressions/apply-keyword.ts'
import { suppressRecipient } from './suppressions/suppress-recipient.ts'

const retry = ['250ms', '1s', '5s', '15s']

/** As much of the configuration as the table depends on. */
type LaneConfig = Pick<Config, 'SEND_CONCURRENCY' | 'BULK_CONCURRENCY' | 'EMAIL_CONCURRENCY' | 'EMAIL_BULK_CONCURRENCY'>

/** What the `worker` role does. */
export function consumersOf(config: LaneConfig): readonly ConsumerEntry<ConsumerContext>[] {
  return [
    ...lanesOf(config).map(({ lane, channel, concurrency }): ConsumerEntry<ConsumerContext> => {
      const durable = `dispatch-send-${lane}-${channel}`
      return consumer(sendRequested, {
        durable,
        where: { lane, channel },
        concurrency,
        retry,
        handle: ({ senders }, work, delivery) => senders.get(durable)!(work, delivery),
      })
    }),
    consumer(receiptReceived, {
      durable: 'dispatch-receipt-sms',
      where: { channel: 'sms' },
      concurrency: 256,
      retry,
      // What else a status may say (21610: the recipient has unsubscribed) is too rare for a consumer of its own.
      handle: async (context, receipt) => {
        await suppressRecipient(context, receipt)
        await context.recordReceipt(receipt)
      },
    }),
    consumer(receiptReceived, {
      durable: 'dispatch-receipt-email',
      where: { channel: 'email' },
      concurrency: 256,
      retry,
      handle: ({ recordReceipt }, receipt) => recordReceipt(receipt),
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
function lanesOf(config: LaneConfig): { lane: Lane; channel: Channel; concurrency: number }[] {
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
