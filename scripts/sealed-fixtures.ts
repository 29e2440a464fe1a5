// Sealed events of the current version, with the key that opens them: a later release must still open them. Sealing again
// would give other bytes, so an event that still fits its contract is kept as it is.

import type { EventContract, SealedEventContract } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { openEvent, sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { type JsonSchema, samplesOf } from './json-samples.ts'

export interface SealedFixture {
  subject: string
  content: unknown
  event: unknown
}

/** Of the fixtures alone. */
const keyRing = 'fixtures:a2V5IG9mIHRoZSBmaXh0dXJlcywgbm90IGEgc2VjcmU='

/** Opens a sealed event of any release with the contract of this one. */
export function openFixture({ subject, event }: SealedFixture): unknown {
  const contract = [...allEvents().values()].find((each) => each.subject === subject)
  if (!contract || !isSealed(contract)) throw new Error(`${subject} is no event with a sealed field`)
  return openEvent(parseKeyRing(keyRing), contract, contract.schema.parse(event))
}

/** @param known the fixtures so far */
export function sealedFixtures(known: readonly SealedFixture[]): SealedFixture[] {
  const contracts = [...allEvents().values()].filter(isSealed)
  return contracts.toSorted((a, b) => (a.subject < b.subject ? -1 : 1)).map((contract) => sealed(contract, known))
}

const isSealed = (contract: EventContract): contract is SealedEventContract => contract.sealed !== undefined

function sealed(contract: SealedEventContract, known: readonly SealedFixture[]): SealedFixture {
  const { subject, schema } = contract
  const payload = fullest(schema.toJSONSchema({ io: 'input' }))
  const content = fullest(contract.sealed.content.toJSONSchema({ io: 'input' }))
  const kept = known.find((one) => one.subject === subject)
  if (kept && isSame(kept, { payload, content, field: contract.sealed.field })) return kept
  return { subject, content, event: sealEvent(parseKeyRing(keyRing), contract, payload, content) }
}

const fullest = (schema: object) => samplesOf(schema as JsonSchema)[0] as Record<string, unknown>

interface Wanted {
  payload: object
  content: unknown
  field: string
}

function isSame(kept: SealedFixture, { payload, content, field }: Wanted): boolean {
  const open = { ...(kept.event as object), [field]: (payload as Record<string, unknown>)[field] }
  if (JSON.stringify([open, kept.content]) !== JSON.stringify([payload, content])) return false
  try {
    return openFixture(kept) !== undefined
  } catch {
    return false
  }
}
