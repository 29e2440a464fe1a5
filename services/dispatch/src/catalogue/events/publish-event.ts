import type { publishEvent as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { announceChange } from './announce-change.ts'
import { changeEvent } from './change-event.ts'
import { contentOf, describeEvent } from './describe-event.ts'
import type { WithEvents } from './event-catalogue.ts'
import { requirePublishable } from './require-publishable.ts'
import { keepVersion, requireRoomForVersion } from './version-store.ts'

/** Publishes the draft as a new version. Without a draft it reactivates an inactive event. */
export const publishEvent: Handler<Context & WithEvents, typeof contract> = idempotent({
  async effect({ config, channels }, request, run) {
    const published = await changeEvent(run, request, 'event.published', async (row, id) => {
      const { status, version, draft } = row
      if (status === 'published' && !draft) return undefined
      if (draft) await requireRoomForVersion(run, id, config.VERSIONS_PER_EVENT)
      const content = draft ?? contentOf(row)
      await requirePublishable(run, channels, id, content)
      if (status !== 'draft') await keepVersion(run, row, row.updated_by)
      return { ...content, status: 'published', version: draft ? version + 1 : version, draft: null }
    })
    await keepVersion(run, published, request.principal.subject)
    return new Reply(200, JSON.stringify(describeEvent(published)))
  },
  after: (context, request) => announceChange(context, request, 'event published'),
})
