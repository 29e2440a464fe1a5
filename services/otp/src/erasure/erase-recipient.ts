import { eraseRecipientCommand } from '@notify/database'
import { countTransactions, eraseTransactions } from './erasure-store.ts'

/** `main.ts erase-recipient`: transactions stay, without their recipient, because conversion counts them. */
export const eraseRecipient = eraseRecipientCommand(() => [
  { name: 'codes', count: countTransactions, erase: eraseTransactions },
])
