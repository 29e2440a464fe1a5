import {
  type Erasure,
  type ErasureConfig,
  erasedReasonOf,
  eraseRecipientCommand,
  type Person,
  type Queries,
  tryOpen,
  walkErasure,
} from '@notify/database'
import { isSameRecipient, type KeyRing } from '@notify/privacy'
import { ConfigError } from '@notify/service-kit'
import type { Config } from '../config.ts'
import { bodyAad, targetAad } from '../db/aad.ts'
import { countFanOutsOf } from '../facts/postponed/postponed-store.ts'
import { readDeliveries, type StoredDelivery } from './read-deliveries.ts'
import { type Erased, erasedReason, storeErased } from './store-erased.ts'

/** Events keep their delivery without the person; sends to the person's address end. */
export const erasuresOf = (config: Pick<Config, 'BLIND_INDEX_KEY' | 'ENCRYPTION_KEYS'>): Erasure[] => {
  if (!config.BLIND_INDEX_KEY) throw new ConfigError('BLIND_INDEX_KEY is needed by erase-recipient')
  return [
    walkErasure('deliveries', (db, person, erase) => walk(db, config.ENCRYPTION_KEYS, person, erase)),
    // They become deliveries within seconds: what is left is erased when the command is repeated.
    walkErasure('fan_outs', async ({ runLong }, { tenantId, index }) => {
      const found = index === undefined ? 0 : await countFanOutsOf(runLong, tenantId, index)
      return { found, left: found }
    }),
  ]
}

/** `main.ts erase-recipient`. */
export const eraseRecipient = eraseRecipientCommand<ErasureConfig & Pick<Config, 'ENCRYPTION_KEYS'>>(erasuresOf)

async function walk(db: Queries, keyRing: KeyRing, person: Person, erase: boolean) {
  let found = 0
  let left = 0
  let unreadable = 0
  for (let after = ''; ; ) {
    const { last, deliveries } = await readDeliveries(db, person, after)
    if (last === null) return { found, left, unreadable }
    const theirs: Erased[] = []
    for (const delivery of deliveries) {
      const erased = tryOpen(() => (isTheirs(keyRing, delivery, person) ? [erasedOf(keyRing, delivery)] : []))
      if (erased) theirs.push(...erased)
      else unreadable++
    }
    found += theirs.length
    if (erase) left += theirs.length - (await storeErased(db, theirs))
    after = last
  }
}

function isTheirs(keyRing: KeyRing, { id, tenant_id, url, recipient_index }: StoredDelivery, person: Person): boolean {
  if (recipient_index !== null) return recipient_index === person.index
  return url !== null && isSameRecipient(keyRing.decrypt(url, targetAad(tenant_id, id)), person.recipient)
}

function erasedOf(keyRing: KeyRing, { id, tenant_id, url, body }: StoredDelivery): Erased {
  const rest = url === null ? withoutPerson(keyRing.decrypt(body, bodyAad(tenant_id, id))) : '{}'
  return {
    id,
    body: keyRing.encrypt(rest, bodyAad(tenant_id, id)),
    url: url && keyRing.encrypt(erasedReason, targetAad(tenant_id, id)),
  }
}

/** What the data of events say of a person, and what is left of it. */
const personal = { recipient_masked: 'erased', metadata: null, user_id: 'erased', address: 'erased' }

/** An event without the person, the caller's metadata and the carrier's words. */
function withoutPerson(body: string): string {
  const event = JSON.parse(body) as { data: Record<string, unknown> }
  const erased = Object.entries({ ...personal, failure_reason: erasedReasonOf(event.data.failure_reason) })
  const known = erased.filter(([name]) => name in event.data)
  return JSON.stringify({ ...event, data: { ...event.data, ...Object.fromEntries(known) } })
}
