import type { Channel } from '../../channels/channel.ts'
import type { TemplateForms } from '../../channels/table.ts'
import { channels } from '../../channels/table.ts'
import type { FormError } from '../../edits/use-edits.ts'
import { formsOf, templatesOf } from '../../templates/template-forms.ts'
import { type TranslationForms, translationFormsOf, translationsOf } from '../../templates/translations.ts'
import { type DigestForm, digestFormOf, digestOf } from './digest-form.ts'
import type { EventContent, EventRecord } from './queries.ts'

/** The form of an event. */
export interface EventForm {
  name: string
  allowed_channels: Channel[]
  /** The key of its topic; empty: none. */
  topic: string
  digest: DigestForm
  templates: TemplateForms
  /** Absent: they stay as they are. */
  translations?: TranslationForms
}

/** The version that the editor begins with: the draft, or else the published version. */
export function storedContent({ draft, name, allowed_channels, templates, translations, topic, digest }: EventRecord) {
  return draft ?? { name, allowed_channels, templates, translations, topic, digest }
}

export function formOf({ name, allowed_channels, templates, translations, topic, digest }: EventContent): EventForm {
  const parts = { digest: digestFormOf(digest), templates: formsOf(templates) }
  const form = { name, allowed_channels, topic: topic ?? '', ...parts }
  return translations ? { ...form, translations: translationFormsOf(translations) } : form
}

/** The request of a form, with the errors that prevent it. */
export function contentOf(form: EventForm): { content: EventContent; errors: FormError[] } {
  const { templates, errors } = templatesOf(form.templates)
  const allowed_channels = channels.filter((channel) => form.allowed_channels.includes(channel))
  const own = { topic: form.topic.trim() || null, digest: digestOf(form.digest) }
  const content = { name: form.name, allowed_channels, templates, ...own }
  if (!form.translations) return { content, errors }
  return { content: { ...content, translations: translationsOf(form.translations, errors) }, errors }
}
