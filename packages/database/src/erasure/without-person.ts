import type { EventContract, SealedEventContract, WireEvent } from '@notify/contracts'
import { openEvent, UnreadableError } from '@notify/messaging'
import { isSameRecipient, type KeyRing } from '@notify/privacy'
import { erasedReasonOf, erasedText, type Person } from './person.ts'

/** How the events of a subject are searched for a person. */
export interface Search {
  person: Person
  contract: EventContract
  /** Opens sealed events; absent where a service has none. */
  keyRing: KeyRing | undefined
}

/** What is left of events. */
export interface Rest {
  /** Undefined when no event is known to name the person. */
  rest: WireEvent[] | undefined
  /** Whether one cannot be decrypted, so that whom it names is unknown. */
  isUnreadable: boolean
}

/**
 * Removes the person from events. A sealed event of the person is emptied, and consumers skip it. Events keep their
 * positions, because their ids derive from them.
 */
export function withoutPerson(wires: readonly WireEvent[], search: Search): Rest {
  let [found, isUnreadable] = [false, false]
  const rest = wires.map((wire) => {
    const changed = eraseFrom(wire, search)
    if (changed === 'unreadable') isUnreadable = true
    else if (changed) found = true
    return changed && changed !== 'unreadable' ? changed : wire
  })
  return { rest: found ? rest : undefined, isUnreadable }
}

function eraseFrom(wire: WireEvent, { person, contract, keyRing }: Search): WireEvent | 'unreadable' | undefined {
  const { event } = wire
  if (!isRecord(event) || (event.tenant_id !== undefined && event.tenant_id !== person.tenantId)) return undefined
  const isIndexed = person.index !== undefined && Object.values(event).includes(person.index)
  const names = isIndexed || (keyRing && isSealed(contract) && isTheirs(contract, keyRing, event, person))
  if (names === 'unknown') return 'unreadable'
  if (!names) return undefined
  if (isSealed(contract)) return { event: null, erased: true }
  return { ...wire, event: Object.fromEntries(Object.entries(event).map(([key, value]) => [key, blank(key, value)])) }

  function blank(key: string, value: unknown): unknown {
    if (value === person.index || key === 'recipient_masked') return erasedText
    if (key === 'failure_reason') return erasedReasonOf(value)
    return key === 'metadata' ? null : value
  }
}

/** Whether the sealed content names the person. */
function isTheirs(
  contract: SealedEventContract,
  keyRing: KeyRing,
  event: object,
  { recipient }: Person,
): boolean | 'unknown' {
  try {
    return holds(openEvent(keyRing, contract, event as never), recipient)
  } catch (error) {
    if (error instanceof UnreadableError) return 'unknown'
    throw error
  }
}

/** Whether a string at any depth is the recipient, also a phone number without plus sign, as carriers write it. */
function holds(value: unknown, recipient: string): boolean {
  if (typeof value === 'string')
    return isSameRecipient(value, recipient) || (/^\d+$/.test(value) && `+${value}` === recipient)
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, recipient))
}

const isSealed = (contract: EventContract): contract is SealedEventContract => contract.sealed !== undefined

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
