import type { TemplateForms } from '../../channels/table.ts'
import type { FormError } from '../../edits/use-edits.ts'
import { formsOf, templatesOf } from '../../templates/template-forms.ts'
import { type TranslationForms, translationFormsOf, translationsOf } from '../../templates/translations.ts'
import type { StoredTemplate, TemplateContent } from './queries.ts'

/** The form of a stored template. */
export interface TemplateForm {
  name: string
  /** Empty: every application of the tenant may use it. */
  application_id: string
  templates: TemplateForms
  /** Absent: they stay as they are. */
  translations?: TranslationForms
}

export function formOf({ name, application_id, templates, translations }: StoredTemplate): TemplateForm {
  return {
    name,
    application_id: application_id ?? '',
    templates: formsOf(templates),
    translations: translationFormsOf(translations),
  }
}

/** The request of a form, with the errors that prevent it. */
export function contentOf({ name, application_id, templates: forms, translations }: TemplateForm): {
  content: TemplateContent
  errors: FormError[]
} {
  const { templates, errors } = templatesOf(forms)
  const content = { name, application_id: application_id.trim() || null, templates }
  if (!translations) return { content, errors }
  return { content: { ...content, translations: translationsOf(translations, errors) }, errors }
}
