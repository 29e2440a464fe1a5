import { applicationChanged, notificationChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { saveSettings } from './applications/settings-store.ts'
import type { Context } from './context.ts'
import { recordOutcome } from './transactions/record-outcome.ts'

const retry = ['250ms', '1s', '5s', '15s']

export const consumers: readonly ConsumerEntry<Context>[] = [
  consumer(notificationChanged, {
    durable: 'otp-notification-changed',
    where: { lane: 'otp' },
    concurrency: 64,
    retry,
    async handle({ db, wakeOutbox }, fact) {
      if (await recordOutcome(db.run, fact)) wakeOutbox()
    },
  }),
  consumer(applicationChanged, {
    durable: 'otp-application-changed',
    concurrency: 4,
    retry,
    handle: ({ db }, change) => saveSettings(db, change),
  }),
]
