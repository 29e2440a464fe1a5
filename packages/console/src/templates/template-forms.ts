import type { Templates } from '../channels/channel.ts'
import { channelPages, channels, type TemplateForms } from '../channels/table.ts'
import type { FormError } from '../edits/use-edits.ts'

/** Templates in the form of the editor. */
export function formsOf(templates: Templates): TemplateForms {
  const present = channels.filter((channel) => templates[channel])
  return Object.fromEntries(present.map((channel) => [channel, channelPages[channel].formOf(templates[channel])]))
}

/** The templates of forms, with the errors that prevent saving them. */
export function templatesOf(forms: TemplateForms): { templates: Templates; errors: FormError[] } {
  const errors: FormError[] = []
  const present = channels.filter((channel) => forms[channel])
  const templates = Object.fromEntries(
    present.map((channel) => [channel, channelPages[channel].templateOf(forms[channel], errors)]),
  )
  return { templates, errors }
}
