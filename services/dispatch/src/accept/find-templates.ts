import type { EventTemplates } from '@notify/contracts'
import { fieldProblem, Problem } from '@notify/service-kit'
import type { WithEvents } from '../catalogue/events/event-catalogue.ts'
import type { WithTemplates } from '../catalogue/templates/template-catalogue.ts'
import type { Candidate } from './accept-item.ts'

/**
 * The templates of the event, or the stored template, that a request names, with one for its channel.
 * @returns undefined in the content form
 * @throws Problem `event_not_found` or `channel_not_allowed` of an event, `validation_failed` of a stored template
 */
export async function findTemplates(
  context: WithEvents & WithTemplates,
  candidate: Candidate,
): Promise<EventTemplates | undefined> {
  const { event_key, template_id } = candidate.request
  if (event_key !== undefined) return ofEvent(context, candidate, event_key)
  if (template_id !== undefined) return stored(context, candidate, template_id)
  return undefined
}

async function ofEvent({ directory }: WithEvents, { principal, request }: Candidate, key: string) {
  const event = await directory.events.find(principal.application_id, key)
  if (!event) throw new Problem('event_not_found', `This application has no published event with the key ${key}`)
  const { channel } = request
  if (!event.allowed_channels.includes(channel)) {
    const allowed = event.allowed_channels.join(', ')
    throw new Problem('channel_not_allowed', `The event ${key} does not allow ${channel}; it allows ${allowed}`)
  }
  if (!event.templates[channel]) {
    throw new Problem('channel_not_allowed', `The event ${key} has no template for ${channel}`)
  }
  return event.templates
}

async function stored({ directory }: WithTemplates, { principal, request }: Candidate, id: string) {
  const templates = await directory.templates.find(principal.tenant_id, principal.application_id, id)
  if (templates?.[request.channel]) return templates
  const message = templates
    ? `names a template that has no part for ${request.channel}`
    : 'names no stored template that this application may use'
  throw fieldProblem('validation_failed', 'template_id', message)
}
