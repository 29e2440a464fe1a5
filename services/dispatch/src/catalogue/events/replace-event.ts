import type { replaceEvent as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { requireFillable } from '../../channels/check-templates.ts'
import type { Context } from '../../context.ts'
import { requireFit } from '../carrier-templates/require-fit.ts'
import { requireLayouts } from '../layouts/require-layouts.ts'
import { requireTopic } from '../topics/require-topic.ts'
import { requireFillableTranslations } from '../translations/check-translations.ts'
import { keepTranslations } from '../translations/keep-translations.ts'
import { changeEvent } from './change-event.ts'
import { describeEvent, draftOf, eventIdOf, withDraft } from './describe-event.ts'
import { sendsCodes } from './require-publishable.ts'

/** Saves a draft. An event that was never published is its own draft. */
export const replaceEvent: Handler<Context & { renderer: Renderer }, typeof contract> = async (context, request) => {
  const { body, principal } = request
  await requireFillable(context, principal.tenant_id, body.templates)
  await requireFillableTranslations(context, principal.tenant_id, body.translations)
  const id = eventIdOf(request)
  await requireFit(context.db.run, context.channels, id, body, sendsCodes(id))
  const row = await context.db.transaction((run) =>
    changeEvent(run, request, 'event.changed', async (row, id) => {
      const draft = draftOf(row)
      const { translations, topic = draft.topic, digest = draft.digest, ...given } = body
      const content = { ...given, topic, digest, ...keepTranslations(translations, body.templates, draft) }
      await requireTopic(run, id, topic)
      await requireLayouts(run, context.channels, id, content)
      return withDraft(row, content)
    }),
  )
  context.wakeOutbox()
  return describeEvent(row)
}
