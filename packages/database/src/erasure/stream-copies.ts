import { type Bus, eraseMessage, readConsumption, readMessage, retainedMessages } from '@notify/messaging'
import type { KeyRing } from '@notify/privacy'
import type { CommandKit } from '@notify/service-kit'
import { namingEventOf, namingFiltersOf } from './naming-events.ts'
import type { Erasure, Person } from './person.ts'
import { walkErasure } from './walk-erasure.ts'
import { withoutPerson } from './without-person.ts'

/**
 * Deletes messages from the service's own stream. A message is deleted with all its events if every durable has handled it;
 * otherwise it is left for the next run.
 */
export function streamCopies({ service }: CommandKit, bus: Bus, keyRing: KeyRing | undefined): Erasure {
  return walkErasure('stream', async (_db, person, erase) => {
    const isConsumed = await readConsumption(bus, service)
    let [found, left, unreadable] = [0, 0, 0]
    for (const filter of namingFiltersOf(service)) {
      for await (const message of retainedMessages(bus, service, filter)) {
        const names = namesPerson(message.subject, message.text, person, keyRing)
        if (names === 'unknown') unreadable++
        if (names !== true) continue
        found++
        if (!isConsumed(message)) left++
        else if (erase) await eraseMessage(bus, service, message.seq)
      }
    }
    return { found, left, unreadable }
  })
}

function namesPerson(subject: string, text: string, person: Person, keyRing: KeyRing | undefined): boolean | 'unknown' {
  const contract = namingEventOf(subject)
  if (!contract) return false
  try {
    const { rest, isUnreadable } = withoutPerson(readMessage(text), { person, contract, keyRing })
    return rest !== undefined || (isUnreadable && 'unknown')
  } catch {
    return person.index !== undefined && text.includes(person.index)
  }
}
