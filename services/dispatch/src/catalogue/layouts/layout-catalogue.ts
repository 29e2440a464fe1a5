import type { LayoutTexts, LayoutTranslations } from '@notify/contracts'
import { defineStatement, pick, type Queries } from '@notify/database'
import { lookUp } from '@notify/locales'
import { createTtlCache, fieldProblem } from '@notify/service-kit'
import type { FindLayout } from '../../channels/channel-template.ts'
import { tables } from '../../db/schema.ts'

/** The part of a layout that sends use. */
interface Texts {
  html_body: string
  body: string | null
  translations: LayoutTranslations | null
}

/** The layouts for sends, cached for a second. */
export interface LayoutCatalogue {
  /** The layout, if the application may use it. Without an application: if all applications may. */
  find(tenantId: string, applicationId: string | null, layoutId: string): Promise<Texts | undefined>
  forget(): void
}

/** A context with it. */
export interface WithLayouts {
  directory: { layouts: LayoutCatalogue }
}

const rememberedMs = 1000
/** A layout has up to some hundred kilobytes. */
const maxEntries = 500

const find = defineStatement({
  name: 'find-layout',
  text: `
    select html_body, body, translations from layouts
    where tenant_id = $1 and (application_id is null or application_id = $2) and id = $3`,
  columns: pick(tables.layouts, 'html_body', 'body', 'translations'),
})

export function createLayoutCatalogue(db: Queries): LayoutCatalogue {
  const cache = createTtlCache<Texts | undefined>({
    ttlMs: rememberedMs,
    maxEntries,
    async load(key) {
      return (await db.run(find, key.split('|')))[0]
    },
  })
  return {
    find: (tenantId, applicationId, id) => cache.get([tenantId, applicationId ?? '', id].join('|')),
    forget: () => cache.clear(),
  }
}

/** The texts of a layout in a language: of a translation by lookup (RFC 4647, 3.4), or else those that are none. */
export function textsIn(
  { html_body, body, translations }: Texts,
  locale: string | undefined,
): { texts: LayoutTexts; locale: string | null } {
  const [found] = lookUp(locale === undefined ? [] : [locale], (one) => Object.hasOwn(translations ?? {}, one))
  if (found !== undefined) return { texts: translations![found]!, locale: found }
  return { texts: { html_body, ...(body === null ? {} : { body }) }, locale: null }
}

/** Finds layouts for the emails of an application in a language. */
export function layoutFinder(
  { directory }: WithLayouts,
  { tenantId, applicationId, locale }: { tenantId: string; applicationId: string | null; locale: string | undefined },
): FindLayout {
  return async (id) => {
    const found = await directory.layouts.find(tenantId, applicationId, id)
    if (!found) throw fieldProblem('validation_failed', 'layout_id', 'names no layout that this application may use')
    return textsIn(found, locale).texts
  }
}
