import type { StoredLayout } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { digestOf } from '../translations/keep-translations.ts'
import type { LayoutRow, LayoutSummaryRow } from './layout-store.ts'

type Described = Omit<StoredLayout, 'html_body' | 'body' | 'translations'>

/** A layout as lists show it. */
export function describeLayout(row: LayoutRow | LayoutSummaryRow): Described {
  return {
    layout_id: row.id,
    name: row.name,
    application_id: row.application_id,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A layout with its texts. */
export function describeWholeLayout(row: LayoutRow): StoredLayout {
  const { html_body, body, translations } = row
  return { ...describeLayout(row), html_body, ...(body === null ? {} : { body }), translations: translations ?? {} }
}

/** A layout as the audit log shows it: with digests of the translations, which may be large together. */
export function auditedLayout(row: LayoutRow): object {
  const { translations, ...layout } = describeWholeLayout(row)
  const digests = Object.entries(translations).map(([locale, texts]) => [locale, digestOf(texts)])
  return { ...layout, translations: Object.fromEntries(digests) }
}

/** @throws Problem `not_found` when there is none */
export function requireLayout(row: LayoutRow | undefined): LayoutRow {
  if (!row) throw new Problem('not_found', 'No layout has this id')
  return row
}
