import type { deactivateEvent as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { announceChange } from './announce-change.ts'
import { changeEvent } from './change-event.ts'
import { contentOf, describeEvent } from './describe-event.ts'
import type { WithEvents } from './event-catalogue.ts'

/** Refuses further notifications of an event until it is published again. */
export const deactivateEvent: Handler<Context & WithEvents, typeof contract> = idempotent({
  async effect(_context, request, run) {
    const row = await changeEvent(run, request, 'event.deactivated', (known) => {
      const { status, version, draft } = known
      if (status === 'draft') throw new Problem('event_not_published', 'The event was never published')
      return status === 'inactive' ? undefined : { ...contentOf(known), status: 'inactive', version, draft }
    })
    return new Reply(200, JSON.stringify(describeEvent(row)))
  },
  after: (context, request) => announceChange(context, request, 'event deactivated'),
})
