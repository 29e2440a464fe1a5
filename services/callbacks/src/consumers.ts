import { providerChanged } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Context } from './context.ts'
import { saveProvider } from './providers/save-provider.ts'

export const consumers: readonly ConsumerEntry<Context>[] = [
  consumer(providerChanged, {
    durable: 'callbacks-provider-changed',
    concurrency: 4,
    retry: ['250ms', '1s', '5s', '15s'],
    handle: saveProvider,
  }),
]
