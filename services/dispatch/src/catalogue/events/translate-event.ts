import type {
  getEventTranslation as getContract,
  listEventTranslations as listContract,
  putEventTranslation as putContract,
} from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import type { StoredContent } from '../../db/event-tables.ts'
import { coverageOf, fileOf, requireValidFile, withFile } from '../translations/translation-file.ts'
import { changeEvent } from './change-event.ts'
import { draftOf, eventIdOf, eventMissing, withDraft } from './describe-event.ts'
import { findEvent } from './event-store.ts'

/** How far the translations of an event have got. */
export const listEventTranslations: Handler<Context, typeof listContract> = async ({ db, channels }, request) =>
  coverageOf(channels, await contentToPublish(db.run, request))

export const getEventTranslation: Handler<Context, typeof getContract> = async ({ db, channels }, request) =>
  fileOf(channels, await contentToPublish(db.run, request), request.params.locale)

/** Saves a translation in the draft. */
export const putEventTranslation: Handler<Context & { renderer: Renderer }, typeof putContract> = async (
  context,
  request,
) => {
  const { channels, db } = context
  const { body, principal, params } = request
  const content = await contentToPublish(db.run, request)
  await requireValidFile(context, principal.tenant_id, content, params.locale, body.texts)
  const changed = await db.transaction((run) =>
    changeEvent(run, request, 'event.changed', (row) => {
      const draft = draftOf(row)
      return withDraft(row, { ...draft, ...withFile(channels, draft, params.locale, body) })
    }),
  )
  context.wakeOutbox()
  return Object.keys(body.texts).length === 0
    ? { based_on: '', texts: {} }
    : fileOf(channels, draftOf(changed), params.locale)
}

/** @throws Problem `event_not_found` */
async function contentToPublish(run: Run, request: Parameters<typeof eventIdOf>[0]): Promise<StoredContent> {
  const row = await findEvent(run, eventIdOf(request))
  if (!row) throw eventMissing()
  return draftOf(row)
}
