import { type NotificationFact, notificationChanged, notificationChangedInRelease01 } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { createProjector } from './activity/project-notification.ts'
import type { Context } from './context.ts'

export function consumersOf(context: Context): readonly ConsumerEntry<Context>[] {
  const project = createProjector(context)
  const options = {
    // As many as one statement takes, and as many that gather meanwhile.
    concurrency: 4000,
    retry: ['250ms', '1s', '5s', '15s'],
    handle: (_context: Context, fact: NotificationFact) => project(fact),
  }
  // The lanes of `activityLanes`, each with a durable: nats-server 2.9 takes one filter per durable.
  return [
    consumer(notificationChanged, {
      durable: 'gateway-notification-transactional',
      where: { lane: 'transactional' },
      ...options,
    }),
    consumer(notificationChanged, {
      durable: 'gateway-notification-bulk',
      where: { lane: 'bulk' },
      ...options,
    }),
    consumer(notificationChangedInRelease01, {
      durable: 'gateway-notification-changed',
      ...options,
    }),
  ]
}
