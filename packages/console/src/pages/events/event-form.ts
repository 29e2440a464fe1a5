import type { Channel } from '../../channels/channel.ts'
import type { TemplateForms } from '../../channels/table.ts'
import { channels } from '../../channels/table.ts'
import type { FormError } from '../../edits/use-edits.ts'
import { formsOf, templatesOf } from '../../templates/template-forms.ts'
import { type TranslationForms, translationFormsOf, translationsOf } from '../../templates/translations.ts'
import type { EventContent, EventRecord } from './queries.ts'

/** The form of an event. */
export interface EventForm {
  name: string
  allowed_channels: Channel[]
  /** The key of its topic; empty: none. */
  topic: string
  templates: TemplateForms
  /** Absent: they stay as they are. */
  translations?: TranslationForms
}

/** The version that the editor begins with: the draft, or else the published version. */
export function storedContent({ draft, name, allowed_channels, templates, translations, topic }: EventRecord) {
  return draft ?? { name, allowed_channels, templates, translations, topic }
}

export function formOf({ name, allowed_channels, templates, translations, topic }: EventContent): EventForm {
  const form = { name, allowed_channels, topic: topic ?? '', templates: formsOf(templates) }
  return translations ? { ...form, translations: translationFormsOf(translations) } : form
}

/** The request of a form, with the errors that prevent it. */
export function contentOf(form: EventForm): { content: EventContent; errors: FormError[] } {
  const { templates, errors } = templatesOf(form.templates)
  const allowed_channels = channels.filter((channel) => form.allowed_channels.includes(channel))
  const content = { name: form.name, allowed_channels, templates, topic: form.topic.trim() || null }
  if (!form.translations) return { content, errors }
  return { content: { ...content, translations: translationsOf(form.translations, errors) }, errors }
}
