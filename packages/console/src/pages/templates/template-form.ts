import type { TemplateForms } from '../../channels/table.ts'
import type { FormError } from '../../edits/use-edits.ts'
import { formsOf, templatesOf } from '../../templates/template-forms.ts'
import type { StoredTemplate, TemplateContent } from './queries.ts'

/** The form of a stored template. */
export interface TemplateForm {
  name: string
  /** Empty: every application of the tenant may use it. */
  application_id: string
  templates: TemplateForms
}

export function formOf({ name, application_id, templates }: StoredTemplate): TemplateForm {
  return { name, application_id: application_id ?? '', templates: formsOf(templates) }
}

/** The request of a form, with the errors that prevent it. */
export function contentOf({ name, application_id, templates: forms }: TemplateForm): {
  content: TemplateContent
  errors: FormError[]
} {
  const { templates, errors } = templatesOf(forms)
  return { content: { name, application_id: application_id.trim() || null, templates }, errors }
}
