import type { EventTemplates, EventTranslations, FieldError, Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import type { Channels } from '../../channels/channel.ts'
import { presentTemplates } from '../../channels/present-templates.ts'
import { keepLayouts } from './layout-store.ts'

interface Content {
  templates: EventTemplates
  translations?: EventTranslations | null | undefined
}

/** Who saves the templates; without an application, all of the tenant may use them. */
interface Owner {
  tenantId: Id<'ten'>
  applicationId: Id<'app'> | null
}

/**
 * Refuses templates with a layout that their application may not use, and keeps the others until the transaction ends.
 * @throws Problem `validation_failed` naming each
 */
export async function requireLayouts(
  run: Run,
  channels: Channels,
  { tenantId, applicationId }: Owner,
  content: Content,
): Promise<void> {
  const used = usesOf(channels, content)
  if (used.length === 0) return
  const kept = await keepLayouts(run, tenantId, [...new Set(used.map(({ id }) => id))])
  const usable = new Set(
    kept.flatMap((one) => (one.application_id === null || one.application_id === applicationId ? [one.id] : [])),
  )
  const who = applicationId === null ? 'all applications may use' : 'this application may use'
  const errors = used
    .filter(({ id }) => !usable.has(id))
    .map(({ path }): FieldError => ({ path, message: `names no layout that ${who}` }))
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
}

function usesOf(channels: Channels, { templates, translations }: Content): { path: string; id: Id<'lay'> }[] {
  const sets = [
    ['templates', templates] as const,
    ...Object.entries(translations ?? {}).map(([locale, set]) => [`translations.${locale}`, set] as const),
  ]
  return sets.flatMap(([path, set]) =>
    presentTemplates(channels, set).flatMap(({ name, definition, template }) => {
      const id = definition.layoutOf?.(template)
      return id === undefined ? [] : [{ path: `${path}.${name}.layout_id`, id }]
    }),
  )
}
