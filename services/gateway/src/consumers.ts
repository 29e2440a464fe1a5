import { notificationChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import { createProjector } from './activity/project-notification.ts'
import type { Context } from './context.ts'

export function consumersOf(context: Context): readonly ConsumerEntry<Context>[] {
  const project = createProjector(context)
  return [
    consumer(notificationChanged, {
      durable: 'gateway-notification-changed',
      // As many as one statement takes, and as many that gather meanwhile.
      concurrency: 4000,
      retry: ['250ms', '1s', '5s', '15s'],
      handle: (_context, fact) => project(fact),
    }),
  ]
}
