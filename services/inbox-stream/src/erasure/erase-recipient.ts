import { KeyMode } from '@notify/contracts'
import { type ErasureConfig, eraseRecipientCommand, type Person, type Queries } from '@notify/database'
import { createBlindIndex } from '@notify/privacy'
import type { Config } from '../config.ts'
import { inboxKeyOf } from '../inbox/inbox-key.ts'
import { applicationsOf, countInboxes, eraseInboxes } from './erasure-store.ts'

/** `main.ts erase-recipient`: erases the inboxes of a user, of every application and mode. */
export const eraseRecipient = eraseRecipientCommand<ErasureConfig & Pick<Config, 'BLIND_INDEX_KEY'>>((config) => {
  const blindIndex = createBlindIndex(config.BLIND_INDEX_KEY)
  const keysOf = async (db: Queries, { tenantId: tenant_id, recipient: user_id }: Person) =>
    (await applicationsOf(db, tenant_id)).flatMap((application_id) =>
      KeyMode.options.map((mode) => inboxKeyOf(blindIndex, { tenant_id, application_id, mode, user_id })),
    )
  return [
    {
      name: 'inboxes',
      count: async (db, person) => countInboxes(db, await keysOf(db, person)),
      erase: async (db, person) => eraseInboxes(db, await keysOf(db, person)),
    },
  ]
})
