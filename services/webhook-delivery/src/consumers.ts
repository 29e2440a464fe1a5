import {
  activityLanes,
  applicationChanged,
  notificationChanged,
  providerChanged,
  providerRemoved,
  topicPreferenceChanged,
  webhookRequested,
} from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { ConsumerContext } from './context.ts'
import { publishPreference } from './facts/publish-preference.ts'
import { removeProvider } from './providers/remove-provider.ts'
import { saveProvider } from './providers/save-provider.ts'
import { endApplication } from './subscriptions/end-application.ts'

const retry = ['250ms', '1s', '5s', '15s']
/** The states that customers may subscribe to; codes are never published to them. */
const statuses = ['delivered', 'undelivered', 'failed'] as const

export const consumers: readonly ConsumerEntry<ConsumerContext>[] = [
  ...activityLanes.flatMap((lane) =>
    statuses.map(
      (status): ConsumerEntry<ConsumerContext> =>
        consumer(notificationChanged, {
          durable: `webhook-delivery-${status}-${lane}`,
          where: { lane, status },
          concurrency: 256,
          retry,
          handle: ({ fanOut }, fact, { span }) => fanOut(fact, span.traceparent),
        }),
    ),
  ),
  ...activityLanes.map(
    (lane): ConsumerEntry<ConsumerContext> =>
      consumer(webhookRequested, {
        durable: `webhook-delivery-requested-${lane}`,
        where: { lane },
        concurrency: 256,
        retry,
        handle: ({ storeHandOff }, handOff, { span }) => storeHandOff(handOff, span.traceparent),
      }),
  ),
  consumer(providerChanged, {
    durable: 'webhook-delivery-provider-changed',
    concurrency: 4,
    retry,
    handle: saveProvider,
  }),
  consumer(providerRemoved, {
    durable: 'webhook-delivery-provider-removed',
    concurrency: 4,
    retry,
    handle: removeProvider,
  }),
  consumer(topicPreferenceChanged, {
    durable: 'webhook-delivery-preference-changed',
    concurrency: 16,
    retry,
    handle: (context, change, { span }) => publishPreference(context, change, span.traceparent),
  }),
  consumer(applicationChanged, {
    durable: 'webhook-delivery-application-changed',
    concurrency: 4,
    retry,
    handle: endApplication,
  }),
]
