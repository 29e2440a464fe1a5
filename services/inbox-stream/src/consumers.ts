import { applicationChanged, inboxRequested, topicPreferenceChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { saveApplication } from './applications/application-store.ts'
import type { ConsumerContext } from './context.ts'
import { signalPreferences } from './preferences/signal-preferences.ts'

const retry = ['250ms', '1s', '5s', '15s']
/** Messages that a killed process held are redelivered after this; later ones of the same order wait for them. */
const ackWait = '6s'

/** Each lane has a durable, so that a campaign does not delay urgent notifications. */
const lanes = [
  { lane: 'transactional', concurrency: 1024 },
  { lane: 'bulk', concurrency: 256 },
] as const

export const consumers: readonly ConsumerEntry<ConsumerContext>[] = [
  ...lanes.map(({ lane, concurrency }) =>
    consumer(inboxRequested, {
      durable: `inbox-stream-requested-${lane}`,
      where: { lane },
      concurrency,
      retry,
      ackWait,
      handle: ({ storeHandOff }: ConsumerContext, handOff, { span }) => storeHandOff(handOff, span.traceparent),
    }),
  ),
  consumer(topicPreferenceChanged, {
    durable: 'inbox-stream-preference-changed',
    concurrency: 16,
    retry,
    handle: signalPreferences,
  }),
  consumer(applicationChanged, {
    durable: 'inbox-stream-application-changed',
    concurrency: 4,
    retry,
    handle: ({ db }: ConsumerContext, change) => saveApplication(db, change),
  }),
]
