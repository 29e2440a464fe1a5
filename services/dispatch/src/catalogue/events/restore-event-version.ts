import { type restoreEventVersion as contract, versionOf } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireLayouts } from '../layouts/require-layouts.ts'
import { requireTopic } from '../topics/require-topic.ts'
import { announceChange } from './announce-change.ts'
import { changeEvent } from './change-event.ts'
import { contentOf, describeEvent, eventIdOf, versionMissing } from './describe-event.ts'
import type { WithEvents } from './event-catalogue.ts'
import { requireCodeVariables, requirePublishable } from './require-publishable.ts'
import { findVersion, keepVersion, requireRoomForVersion } from './version-store.ts'

/** Rolls back: the content of an earlier version becomes a new version. An inactive event stays inactive. */
export const restoreEventVersion: Handler<Context & WithEvents & { renderer: Renderer }, typeof contract> = idempotent({
  /** A version of the bootstrap document was not checked before. */
  async prepare(context, request) {
    const id = eventIdOf(request)
    const wanted = versionOf(request.params.version)
    const earlier = wanted === undefined ? undefined : await findVersion(context.db.run, id, wanted)
    if (earlier) await requireCodeVariables(context, id, earlier.templates)
  },
  async effect({ config, channels }, request, run) {
    const wanted = versionOf(request.params.version)
    const restored = await changeEvent(run, request, 'event.restored', async (row, id) => {
      const earlier = wanted === undefined ? undefined : await findVersion(run, id, wanted)
      if (!earlier) throw versionMissing()
      const { status, version, draft } = row
      if (earlier.version === version) return undefined
      await requireRoomForVersion(run, id, config.VERSIONS_PER_EVENT)
      const content = contentOf(earlier)
      await requireTopic(run, id, content.topic)
      await requireLayouts(run, channels, id, content)
      await requirePublishable(run, channels, id, content)
      await keepVersion(run, row, row.updated_by)
      return { ...content, status, version: version + 1, draft }
    })
    await keepVersion(run, restored, request.principal.subject)
    return new Reply(200, JSON.stringify(describeEvent(restored)))
  },
  after: (context, request) => announceChange(context, request, 'event rolled back'),
})
