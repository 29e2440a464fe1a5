import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import { coalesce } from '@notify/service-kit'
import { openRecipient, type RecipientContent, type RecipientRow } from './recipient-content.ts'
import { findRecipients } from './recipient-store.ts'

/** The user whom a request names in place of an address. */
export interface NamedUser extends Pick<RecipientContent, 'locale' | 'timezone'> {
  id: string
  /** Blind index of the id. */
  index: string
}

/** The users of applications. Each look-up sees what was saved before it. */
export interface RecipientDirectory {
  /** @param id of the row */
  find(id: string): Promise<RecipientContent | undefined>
}

/** A context with it. */
export interface WithRecipients {
  directory: { recipients: RecipientDirectory }
}

/** Finds the users of the same moment in one query. */
export function createRecipientDirectory(db: Queries, keyRing: KeyRing): RecipientDirectory {
  const findRow = coalesce<string, RecipientRow | undefined>({
    maxBatch: 256,
    maxInFlight: 2,
    async run(ids) {
      const rows = new Map((await findRecipients(db.run, ids)).map((row) => [row.id, row]))
      return ids.map((id) => rows.get(id))
    },
  })
  return {
    async find(id) {
      const row = await findRow(id)
      // Decrypted outside the batch, which has the users of all tenants: an unreadable one fails alone.
      return row && openRecipient(keyRing, row)
    },
  }
}
