import type { StoredTemplate } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { TemplateRow, TemplateSummaryRow } from './template-store.ts'

type Described = Omit<StoredTemplate, 'templates'>

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
export function describeWhole(row: TemplateRow | undefined): StoredTemplate {
  if (!row) throw templateMissing()
  return { ...describeTemplate(row), templates: row.templates }
}

function templateMissing(): Problem {
  return new Problem('not_found', 'No stored template has this id')
}
