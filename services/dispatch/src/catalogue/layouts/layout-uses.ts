import type { Id } from '@notify/contracts'
import { column, defineStatement, type Run } from '@notify/database'
import { Problem } from '@notify/service-kit'

/** As many uses as an error names. */
const named = 10

/** The events of a deleted application cannot be changed, and only its digests that wait still use them. */
const find = defineStatement({
  name: 'find-layout-uses',
  text: `
    select 'event' as kind, application_id, event_key as name from events
      where tenant_id = $1 and layouts_used(templates, translations, draft) ? $2 and application_id <> $3
        and not exists (
          select from ended_applications e where e.application_id = events.application_id
            and not exists (select from digests d where d.application_id = e.application_id))
    union all
    select 'template', application_id, id from templates
      where tenant_id = $1 and layouts_used(templates, translations, null) ? $2 and application_id is distinct from $3
    order by kind, name limit ${named + 1}`,
  columns: {
    kind: column.text<'event' | 'template'>(),
    application_id: column.id('app').nullable(),
    name: column.text(),
  },
})

/**
 * Refuses a change of a locked layout that would leave its users without it.
 * @param keepsFor the application that may still use it, null for all of them; undefined when nobody may
 * @throws Problem `layout_in_use` naming events and stored templates
 */
export async function requireUnused(
  run: Run,
  tenantId: Id<'ten'>,
  layoutId: Id<'lay'>,
  keepsFor?: Id<'app'> | null,
): Promise<void> {
  if (keepsFor === null) return
  const uses = await run(find, [tenantId, layoutId, keepsFor ?? ''])
  if (uses.length === 0) return
  const names = uses
    .slice(0, named)
    .map(({ kind, application_id, name }) =>
      kind === 'event' ? `the event ${name} of ${application_id}` : `the template ${name}`,
    )
  const more = uses.length > named ? ', and others' : ''
  throw new Problem('layout_in_use', `The layout is used by ${names.join(', ')}${more}`)
}
