import { providerChanged, providerRemoved, receiptWanted } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Context } from './context.ts'
import { removeProvider } from './providers/remove-provider.ts'
import { saveProvider } from './providers/save-provider.ts'

const retry = ['250ms', '1s', '5s', '15s']

export const consumers: readonly ConsumerEntry<Context>[] = [
  consumer(providerChanged, {
    durable: 'callbacks-provider-changed',
    concurrency: 4,
    retry,
    handle: saveProvider,
  }),
  consumer(providerRemoved, {
    durable: 'callbacks-provider-removed',
    concurrency: 4,
    retry,
    handle: removeProvider,
  }),
  consumer(receiptWanted, {
    durable: 'callbacks-receipt-wanted',
    concurrency: 500,
    retry,
    handle: ({ republishReceipts }, wanted) => republishReceipts(wanted),
  }),
]
