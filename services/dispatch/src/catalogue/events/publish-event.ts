import type { publishEvent as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireKnownVariables } from '../translations/check-translations.ts'
import { warningsOf } from '../translations/translation-state.ts'
import { announceChange } from './announce-change.ts'
import { changeEvent } from './change-event.ts'
import { describeEvent, draftOf, eventIdOf } from './describe-event.ts'
import type { WithEvents } from './event-catalogue.ts'
import { findEvent } from './event-store.ts'
import { requireCodeVariables, requirePublishable, sendsCodes } from './require-publishable.ts'
import { keepVersion, requireRoomForVersion } from './version-store.ts'

/** Publishes the draft as a new version. Without a draft it reactivates an inactive event. */
export const publishEvent: Handler<Context & WithEvents & { renderer: Renderer }, typeof contract> = idempotent({
  /** Checks variables before the transaction, which would hold its connection while templates are parsed. */
  async prepare(context, request) {
    const id = eventIdOf(request)
    const row = await findEvent(context.db.run, id)
    if (!row) return undefined
    await requireKnownVariables(context, id.tenantId, draftOf(row))
    await requireCodeVariables(context, id, draftOf(row).templates)
    return row.updated_at.getTime()
  },
  async effect({ config, channels }, request, run, checkedAt) {
    const published = await changeEvent(run, request, 'event.published', async (row, id) => {
      const { status, version, draft } = row
      if (status === 'published' && !draft) return undefined
      const content = draftOf(row)
      if ((content.translations || sendsCodes(id)) && row.updated_at.getTime() !== checkedAt)
        throw new Problem('edit_conflict', 'The event has just been changed')
      if (draft) await requireRoomForVersion(run, id, config.VERSIONS_PER_EVENT)
      await requirePublishable(run, channels, id, content)
      if (status !== 'draft') await keepVersion(run, row, row.updated_by)
      return { ...content, status: 'published', version: draft ? version + 1 : version, draft: null }
    })
    await keepVersion(run, published, request.principal.subject)
    return new Reply(200, JSON.stringify({ ...describeEvent(published), warnings: warningsOf(published) }))
  },
  after: (context, request) => announceChange(context, request, 'event published'),
})
