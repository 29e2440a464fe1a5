import type { replaceEvent as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Context } from '../../context.ts'
import { requireFillable } from '../templates/check-templates.ts'
import { changeEvent } from './change-event.ts'
import { contentOf, describeEvent } from './describe-event.ts'

/** Saves a draft. An event that was never published is its own draft. */
export const replaceEvent: Handler<Context & { renderer: Renderer }, typeof contract> = async (context, request) => {
  const { body, principal } = request
  await requireFillable(context, principal.tenant_id, body.templates)
  const row = await context.db.transaction((run) =>
    changeEvent(run, request, 'event.changed', ({ status, version, ...known }) =>
      status === 'draft'
        ? { ...body, status, version, draft: null }
        : { ...contentOf({ status, version, ...known }), status, version, draft: body },
    ),
  )
  context.wakeOutbox()
  return describeEvent(row)
}
