import { type createEvent as contract, dispatchAuditRecorded } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import { requireFit } from '../carrier-templates/require-fit.ts'
import { requireLayouts } from '../layouts/require-layouts.ts'
import { requireTopic } from '../topics/require-topic.ts'
import { requireFillableTranslations, requireKnownVariables } from '../translations/check-translations.ts'
import { keepTranslations, noTranslations } from '../translations/keep-translations.ts'
import { auditedEvent, describeEvent, eventIdOf } from './describe-event.ts'
import type { WithEvents } from './event-catalogue.ts'
import { insertEvent, requireRoomForEvent } from './event-store.ts'
import { requireCodeVariables, requirePublishable, sendsCodes } from './require-publishable.ts'
import { keepVersion } from './version-store.ts'

/** Creates an event as a draft, or published at once. */
export const createEvent: Handler<Context & WithEvents & { renderer: Renderer }, typeof contract> = idempotent({
  async prepare(context, { body, params, principal }) {
    const { tenant_id } = principal
    await requireFillable(context, tenant_id, body.templates)
    await requireFillableTranslations(context, tenant_id, body.translations)
    const id = eventIdOf({ principal, params: { ...params, event_key: body.event_key } })
    if (body.status === 'draft') await requireFit(context.db.run, context.channels, id, body, sendsCodes(id))
    else {
      await requireKnownVariables(context, tenant_id, body)
      await requireCodeVariables(context, id, body.templates)
    }
  },
  async effect({ config, channels }, request, run) {
    const { body, principal, params } = request
    const { event_key, status, version, translations, topic = null, digest = null, ...given } = body
    const content = { ...given, topic, digest, ...keepTranslations(translations, given.templates, noTranslations) }
    const id = eventIdOf({ principal, params: { ...params, event_key } })
    await requireRoomForEvent(run, id, config.EVENTS_PER_APPLICATION)
    await requireTopic(run, id, topic)
    await requireLayouts(run, channels, id, content)
    if (status !== 'draft') await requirePublishable(run, channels, id, content)
    const updatedBy = principal.subject
    const row = await insertEvent(run, id, { ...content, status, version, draft: null, updatedBy })
    if (!row) throw new Problem('event_exists', `The application has an event with the key ${event_key}`)
    if (status !== 'draft') await keepVersion(run, row, updatedBy)
    const created = describeEvent(row)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      applicationId: id.applicationId,
      action: 'event.created',
      resourceId: event_key,
      before: null,
      after: auditedEvent(row),
    })
    return new Reply(201, JSON.stringify(created))
  },
  after({ directory, log, wakeOutbox }, { body, principal, requestId }) {
    directory.events.forget()
    wakeOutbox()
    log.info({ event_key: body.event_key, operator: principal.subject, request_id: requestId }, 'event created')
  },
})
