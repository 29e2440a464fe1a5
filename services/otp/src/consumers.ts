import { notificationChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Context } from './context.ts'
import { recordOutcome } from './transactions/outcome-store.ts'

export const consumers: readonly ConsumerEntry<Context>[] = [
  consumer(notificationChanged, {
    durable: 'otp-notification-changed',
    where: { lane: 'otp' },
    concurrency: 64,
    retry: ['250ms', '1s', '5s', '15s'],
    handle: ({ db }, fact) => recordOutcome(db.run, fact),
  }),
]
