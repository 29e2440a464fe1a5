import {
  applicationChanged,
  messageReceived,
  receiptReceived,
  subscriptionChanged,
  templateChanged,
} from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { endApplication } from './audiences/end-application.ts'
import { applyTemplateChange } from './catalogue/carrier-templates/apply-template-change.ts'
import { endSubscriptionProvider } from './catalogue/providers/end-subscription-provider.ts'
import { applyKeyword } from './catalogue/suppressions/apply-keyword.ts'
import { suppressRecipient } from './catalogue/suppressions/suppress-recipient.ts'
import { type Channels, carriedChannels, type LaneSettings } from './channels/channel.ts'
import { channels as registry } from './channels/registry.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import type { LaneOf } from './deliver/queues/queue-store.ts'
import { handOffConsumers, type WithReportRecorders } from './outcome/hand-offs/hand-off-consumers.ts'
import type { Correlators } from './outcome/receipts/correlate-receipt.ts'
import type { RecordReceipt } from './outcome/receipts/record-receipt.ts'

const retry = ['250ms', '1s', '5s', '15s']
/** After this another worker takes up a STOP that a killed one held. Handling it twice changes nothing. */
const keywordAckWait = '1s'

/** Two batches of the recorder, so that one collects while the other is written. */
const receiptsTogether = 1024

/** The context of the consumers. */
export type ConsumerContext = Context & WithReportRecorders & Correlators & { recordReceipt: RecordReceipt }

/** The consumers of the `worker` role. */
export function consumersOf(channels: Channels = registry): readonly ConsumerEntry<ConsumerContext>[] {
  const carried = carriedChannels(channels)
  return [
    ...carried.map(
      ({ name: channel, delivery: { suppressionConcurrency } }): ConsumerEntry<ConsumerContext> =>
        consumer(receiptReceived, {
          durable: `dispatch-receipt-${channel}`,
          where: { channel },
          concurrency: receiptsTogether,
          retry,
          handle: async (context, received) => {
            const receipt = await context.correlateReceipt(received)
            if (suppressionConcurrency === undefined) await suppressRecipient(context, receipt)
            await context.recordReceipt(receipt)
          },
        }),
    ),
    ...carried.flatMap(({ name: channel, delivery: { suppressionConcurrency } }): ConsumerEntry<ConsumerContext>[] =>
      suppressionConcurrency === undefined
        ? []
        : [
            consumer(receiptReceived, {
              durable: `dispatch-suppression-${channel}`,
              where: { channel },
              concurrency: suppressionConcurrency,
              retry,
              handle: async (context, receipt) => {
                if (receipt.suppress) await suppressRecipient(context, await context.correlateSuppression(receipt))
              },
            }),
          ],
    ),
    ...handOffConsumers(channels),
    consumer(messageReceived, {
      durable: 'dispatch-message-received',
      concurrency: 16,
      retry,
      ackWait: keywordAckWait,
      handle: applyKeyword,
    }),
    consumer(templateChanged, {
      durable: 'dispatch-template-changed',
      concurrency: 4,
      retry,
      handle: applyTemplateChange,
    }),
    consumer(subscriptionChanged, {
      durable: 'dispatch-subscription-changed',
      concurrency: 4,
      retry,
      handle: endSubscriptionProvider,
    }),
    consumer(applicationChanged, {
      durable: 'dispatch-application-changed',
      concurrency: 4,
      retry,
      handle: endApplication,
    }),
  ]
}

/** A lane of a channel whose carriers dispatch calls. */
export interface CarriedLane {
  lane: LaneOf
  settings: LaneSettings
}

/** The lanes of carrier channels; each has a rate and places of its own, so a campaign never delays a code. */
export function lanesOf(channels: Channels, config: Config): CarriedLane[] {
  return carriedChannels(channels).flatMap(({ name: channel, delivery }) =>
    delivery.lanes(config).map((settings) => ({ lane: { lane: settings.lane, channel }, settings })),
  )
}

/** The lanes whose messages this process sends. */
export function ownLanesOf(channels: Channels, config: Config): CarriedLane[] {
  return lanesOf(channels, config).filter(({ settings }) => config.LANES.includes(settings.lane))
}
