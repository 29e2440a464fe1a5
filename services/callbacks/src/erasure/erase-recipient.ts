import { eraseRecipientCommand, walkErasure } from '@notify/database'
import { countContacts, forgetContacts } from './contact-store.ts'

/**
 * `main.ts erase-recipient`: this service's tables name no person; the events that it publishes do. Which record is the person's
 * cannot be read from it, so the tenant's contacts are all reported again, and consent learns the number that it has erased.
 */
export const eraseRecipient = eraseRecipientCommand(() => [
  walkErasure('records of contacts of the tenant', async (db, { tenantId }, erase) => ({
    found: await (erase ? forgetContacts : countContacts)(db, tenantId),
    left: 0,
  })),
])
