import { createHash } from 'node:crypto'
import type { ReceivingAccount, TemplateReport } from '../receiver.ts'
import type { Change } from './update.ts'

/** The status after an event whose name differs from it. */
const statusOf: Record<string, string | undefined> = {
  reinstated: 'approved',
  unpaused: 'approved',
  unarchived: 'approved',
  // A warning: the template may still be sent.
  flagged: undefined,
  // The template cannot be edited, but may still be sent.
  locked: undefined,
}

/** The template that a change reports; undefined when it reports none. */
export function readTemplate(account: ReceivingAccount, { field, time, value }: Change): TemplateReport | undefined {
  const { message_template_name: name, message_template_language: language } = value
  if (name === undefined || language === undefined) return undefined
  const says = wordsOf(field, value)
  if (Object.values(says).every((word) => word === undefined)) return undefined
  const parts = [field, value.message_template_id ?? name, language, time ?? '', ...Object.values(says)]
  // Hashed, because an entry of an index is limited to 2,704 bytes.
  const callbackId = createHash('sha256').update(parts.join(' ')).digest('base64url')
  return { type: 'template', account, callbackId, name, language, ...says }
}

function wordsOf(field: string, value: Change['value']): Pick<TemplateReport, 'status' | 'category' | 'quality'> {
  switch (field) {
    case 'message_template_status_update': {
      const event = value.event?.toLowerCase() ?? ''
      const status = Object.hasOwn(statusOf, event) ? statusOf[event] : event || undefined
      const category = value.message_template_category?.toLowerCase()
      return { ...(status && { status }), ...(category && { category }) }
    }
    case 'message_template_quality_update':
      return value.new_quality_score ? { quality: value.new_quality_score.toLowerCase() } : {}
    case 'template_category_update':
      return value.new_category ? { category: value.new_category.toLowerCase() } : {}
    default:
      return {}
  }
}
