import { eraseRecipientCommand } from '@notify/database'

/** `main.ts erase-recipient`: this service's tables name no person; the events that it publishes do. */
export const eraseRecipient = eraseRecipientCommand(() => [])
