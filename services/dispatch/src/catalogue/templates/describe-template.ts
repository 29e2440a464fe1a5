import type { StoredTemplate } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { digestsOfAll } from '../translations/keep-translations.ts'
import type { TemplateRow, TemplateSummaryRow } from './template-store.ts'

type Described = Omit<StoredTemplate, 'templates' | 'translations'>

/** A template as returned to operators. */
export function describeTemplate(row: TemplateRow | TemplateSummaryRow): Described {
  return {
    template_id: row.id,
    name: row.name,
    application_id: row.application_id,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** A template with its content. @throws Problem `not_found` when there is none */
export function describeWhole(found: TemplateRow | undefined): StoredTemplate {
  const row = requireTemplate(found)
  return { ...describeTemplate(row), templates: row.templates, translations: row.translations ?? {} }
}

/** A template as the audit log shows it. */
export function auditedTemplate(row: TemplateRow): object {
  const { translations, ...template } = describeWhole(row)
  return { ...template, translations: digestsOfAll(translations) }
}

/** @throws Problem `not_found` when there is none */
export function requireTemplate(row: TemplateRow | undefined): TemplateRow {
  if (!row) throw templateMissing()
  return row
}

function templateMissing(): Problem {
  return new Problem('not_found', 'No stored template has this id')
}
