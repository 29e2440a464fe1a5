import { eraseRecipientCommand } from '@notify/database'
import { countTransactions, eraseTransactions } from './erasure-store.ts'

/** `main.ts erase-recipient`: transactions stay for the figures of conversion, without their recipient. */
export const eraseRecipient = eraseRecipientCommand(() => [
  { name: 'codes', count: countTransactions, erase: eraseTransactions },
])
