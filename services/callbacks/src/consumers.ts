import { providerChanged, receiptWanted } from '@notify/contracts'
import { type ConsumerEntry, consumer } from '@notify/messaging'
import type { Context } from './context.ts'
import { saveProvider } from './providers/save-provider.ts'
import { createReceiptTeller } from './receipts/tell-receipts-again.ts'

const retry = ['250ms', '1s', '5s', '15s']

export function consumersOf(context: Context): readonly ConsumerEntry<Context>[] {
  const tellAgain = createReceiptTeller(context)
  return [
    consumer(providerChanged, {
      durable: 'callbacks-provider-changed',
      concurrency: 4,
      retry,
      handle: saveProvider,
    }),
    consumer(receiptWanted, {
      durable: 'callbacks-receipt-wanted',
      concurrency: 500,
      retry,
      handle: (_context, wanted) => tellAgain(wanted),
    }),
  ]
}
