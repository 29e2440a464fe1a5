import type { previewEvent as contract, Digest, EventTemplates, EventTranslations } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import { withSample } from '../digests/digest-variables.ts'
import type { WithLayouts } from '../layouts/layout-catalogue.ts'
import { renderPreview } from '../templates/render-preview.ts'
import { draftOf, eventIdOf, eventMissing, versionMissing } from './describe-event.ts'
import { findEvent } from './event-store.ts'
import { findVersion } from './version-store.ts'

type Request = Parameters<Handler<Context, typeof contract>>[1]

/** Renders the draft of an event, a version of it or the given templates, with the given variables. */
export const previewEvent: Handler<Context & WithLayouts & { renderer: Renderer }, typeof contract> = idempotentAnswer(
  async (context, request) => {
    const { channel, data, locale, time_zone, templates: given } = request.body
    if (given) await requireFillable(context, request.principal.tenant_id, given)
    const { version, digest, ...previewed } = await chooseTemplates(context, request)
    const shown = await renderPreview(context, eventIdOf(request), previewed, {
      ...{
        channel,
        field: 'data',
        locale,
        time_zone,
        variables: digest ? withSample(data, digest) : data,
      },
    })
    return new Reply(200, JSON.stringify({ event_key: request.params.event_key, version, ...shown }))
  },
)

interface Chosen {
  version: number | null
  templates: EventTemplates
  translations?: EventTranslations | null
  digest: Digest | null
}

async function chooseTemplates({ db }: Context, request: Request): Promise<Chosen> {
  const id = eventIdOf(request)
  const event = await findEvent(db.run, id)
  if (!event) throw eventMissing()
  const { version, templates } = request.body
  const { templates: drafted, translations, digest } = draftOf(event)
  if (templates) return { version: null, templates, digest }
  if (version === undefined) {
    const shown = event.draft || event.status === 'draft' ? null : event.version
    return { version: shown, templates: drafted, translations, digest }
  }
  const kept = await findVersion(db.run, id, version)
  if (!kept) throw versionMissing()
  return { version, templates: kept.templates, translations: kept.translations, digest: kept.digest }
}
