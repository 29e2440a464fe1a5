import type { sendEventTest as contract } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import { withSample } from '../../catalogue/digests/digest-variables.ts'
import { draftOf, eventIdOf, eventMissing } from '../../catalogue/events/describe-event.ts'
import { findEvent } from '../../catalogue/events/event-store.ts'
import { sendsCodes } from '../../catalogue/events/require-publishable.ts'
import { requireFillable } from '../../channels/check-templates.ts'
import { sendTest } from './send-test.ts'

/** Sends the draft of an event, or the given templates, to the operator. */
export const sendEventTest = sendTest<typeof contract>(async (context, request) => {
  const { body, principal, params } = request
  const { channel, recipient, data, locale, time_zone, templates: given } = body
  const { application_id: applicationId, event_key } = params
  if (given) await requireFillable(context, principal.tenant_id, given)
  const id = eventIdOf(request)
  const event = await findEvent(context.db.run, id)
  if (!event) throw eventMissing()
  const { templates, translations, digest } = draftOf(event)
  const variables = digest ? withSample(data, digest) : data
  const texts = given ? { templates: given, translations: null } : { templates, translations }
  if (!texts.templates[channel]) throw fieldProblem('validation_failed', 'channel', 'is not a channel of the event')
  const providers = await context.directory.providers.list(principal.tenant_id, applicationId, channel)
  return {
    ...{ request, applicationId, providers, channel, recipient, variables, locale, time_zone, texts },
    // Given templates are taken to be in the requested language.
    writtenLocale: given && locale,
    sendsCode: sendsCodes(id),
    ...{ field: 'data', resource: { action: 'event.tested', id: event_key } },
  }
})
