import {
  type Erasure,
  type ErasureConfig,
  eraseRecipientCommand,
  type Person,
  type Queries,
  tryOpen,
  walkErasure,
} from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Config } from '../config.ts'
import { sealDetails } from '../ledger/entry-details.ts'
import { openPhone } from '../users/user-phone.ts'
import { eraseConsents } from './erase-consents.ts'
import { countEvidence, eraseEvidence, keepEvidence } from './erased-evidence.ts'
import { countConsents, countEntries, deleteUsers, eraseEntries, lockEntries, readUsers } from './erasure-store.ts'

/** Replaces an erased number; no country has the code 999. */
const erasedPhone = '+9990000000'

/** The ledger keeps its entries without the person, and stops stay effective. */
export const erasuresOf = ({ ENCRYPTION_KEYS: keyRing }: Pick<Config, 'ENCRYPTION_KEYS'>): Erasure[] => [
  // Before the consents, which number the entries: a change meanwhile is numbered after those that are left.
  { name: 'ledger entries', count: countEntries, erase: (db, person) => eraseBatch(db, keyRing, person) },
  { name: 'consents', count: countConsents, erase: eraseConsents },
  { name: 'evidence', count: countEvidence, erase: eraseEvidence },
  walkErasure('users', async (db, person, erase) => {
    const { found, unreadable } = await findUsers(db, keyRing, person)
    if (erase) await deleteUsers(db, person.tenantId, found)
    return { found: found.length, left: 0, unreadable }
  }),
]

/** `main.ts erase-recipient`. */
export const eraseRecipient = eraseRecipientCommand<ErasureConfig & Pick<Config, 'ENCRYPTION_KEYS'>>(erasuresOf)

function eraseBatch(db: Queries, keyRing: KeyRing, person: Person): Promise<number> {
  return db.transaction(async (run) => {
    const entries = await lockEntries(run, person)
    const erased = entries.map(({ id, tenant_id }) => ({
      id,
      details: sealDetails(keyRing, { phone: erasedPhone, reference: null, evidence_url: null }, tenant_id, id),
    }))
    if (erased.length === 0) return 0
    await keepEvidence(
      run,
      erased.map(({ id }) => id),
    )
    await eraseEntries(run, erased)
    return erased.length
  })
}

/** The users with the number. Numbers are encrypted, so all users of the tenant are read; or the user whose id was given. */
async function findUsers(db: Queries, keyRing: KeyRing, person: Person) {
  const { tenantId, recipient, index } = person
  const found: string[] = []
  let unreadable = 0
  let after = ''
  for (;;) {
    const page = await readUsers(db, person, after)
    for (const { user_index: userIndex, phone } of page) {
      const known = phone && tryOpen(() => openPhone(keyRing, { tenantId, userIndex }, phone))
      if (known === recipient || userIndex === index) found.push(userIndex)
      else if (known === undefined) unreadable++
    }
    if (page.length === 0) return { found, unreadable }
    after = page.at(-1)!.user_index
  }
}
