import type { Channel } from '../../channels/channel.ts'
import type { TemplateForms } from '../../channels/table.ts'
import { channels } from '../../channels/table.ts'
import type { FormError } from '../../edits/use-edits.ts'
import { formsOf, templatesOf } from '../../templates/template-forms.ts'
import type { EventContent, EventRecord } from './queries.ts'

/** The form of an event. */
export interface EventForm {
  name: string
  allowed_channels: Channel[]
  templates: TemplateForms
}

/** The version that the editor begins with: the draft, or else the published version. */
export function storedContent({ draft, name, allowed_channels, templates }: EventRecord): EventContent {
  return draft ?? { name, allowed_channels, templates }
}

export function formOf({ name, allowed_channels, templates }: EventContent): EventForm {
  return { name, allowed_channels, templates: formsOf(templates) }
}

/** The request of a form, with the errors that prevent it. */
export function contentOf(form: EventForm): { content: EventContent; errors: FormError[] } {
  const { templates, errors } = templatesOf(form.templates)
  const allowed_channels = channels.filter((channel) => form.allowed_channels.includes(channel))
  return { content: { name: form.name, allowed_channels, templates }, errors }
}
