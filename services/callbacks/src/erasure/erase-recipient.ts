import { eraseRecipientCommand } from '@notify/database'

/** `main.ts erase-recipient`: the tables of this service name nobody; what it publishes does. */
export const eraseRecipient = eraseRecipientCommand(() => [])
