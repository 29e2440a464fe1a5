import type { EventTemplates, EventTranslations } from '@notify/contracts'
import { defineStatement, pick, type Queries } from '@notify/database'
import { createTtlCache } from '@notify/service-kit'
import { tables } from '../../db/schema.ts'

/** The part of a stored template that sends use. */
interface Texts {
  templates: EventTemplates
  translations: EventTranslations | null
}

/** The stored templates for sends, cached for a second. */
export interface TemplateCatalogue {
  /** The content of the template, if the application may use it. */
  find(tenantId: string, applicationId: string, templateId: string): Promise<Texts | undefined>
  forget(): void
}

/** A context with it. */
export interface WithTemplates {
  directory: { templates: TemplateCatalogue }
}

const rememberedMs = 1000
/** A template has up to some hundred kilobytes. */
const maxEntries = 500

const find = defineStatement({
  name: 'find-template',
  text: `
    select templates, translations from templates
    where tenant_id = $1 and (application_id is null or application_id = $2) and id = $3`,
  columns: pick(tables.templates, 'templates', 'translations'),
})

export function createTemplateCatalogue(db: Queries): TemplateCatalogue {
  const cache = createTtlCache<Texts | undefined>({
    ttlMs: rememberedMs,
    maxEntries,
    async load(key) {
      return (await db.run(find, key.split('|')))[0]
    },
  })
  return { find: (...key) => cache.get(key.join('|')), forget: () => cache.clear() }
}
