import type { TemplateOf } from './channel.ts'

/** The fields of a WhatsApp message, as they are edited. */
export interface WhatsAppForm {
  template_name: string
  language: string
  category: TemplateOf<'whatsapp'>['category']
  /** Whether the placeholders have names; otherwise they are numbered. */
  isNamed: boolean
  parameters: { name: string; text: string }[]
  header: { type: 'text' | 'image' | 'video' | 'document'; name: string; value: string } | null
  buttons: { index: number; type: 'url' | 'copy_code'; value: string }[]
}
