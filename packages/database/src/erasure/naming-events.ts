import { type EventContract, type ServiceName, subjectFilter } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { matchesFilter } from '@notify/messaging'

/** Fields by which an event names a person besides its sealed content. */
const namingFields = ['recipient_index', 'provider_message_id']

/** The events that may name a person; sealed credentials belong to an account. */
const namingEvents: readonly EventContract[] = [...allEvents().values()].filter(({ schema, sealed }) => {
  const { shape = {} } = schema as { shape?: object }
  return sealed?.field === 'content' || namingFields.some((field) => field in shape)
})

/** The contract of a subject, if its events may name a person. */
export function namingEventOf(subject: string): EventContract | undefined {
  return namingEvents.find((contract) => matchesFilter(subjectFilter(contract), subject))
}

/** Patterns of the subjects, for `like`. */
export const namingPatterns = namingEvents.map((contract) => subjectFilter(contract).replaceAll('*', '%'))

/** The subjects of a service's events that may name a person, with `*` for fields. */
export function namingFiltersOf(service: ServiceName): string[] {
  return namingEvents.filter(({ publisher }) => publisher === service).map((contract) => subjectFilter(contract))
}
