import type { EventContent, FieldError } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { approvedCategories } from '../carrier-templates/carrier-template-store.ts'
import type { EventId } from './event-store.ts'

/**
 * Refuses to publish what could never be sent.
 * @throws Problem `validation_failed` naming the channels without template and the templates of codes without a code,
 * `template_category_mismatch`
 */
export async function requirePublishable(run: Run, id: EventId, content: EventContent): Promise<void> {
  const { allowed_channels, templates } = content
  const errors = allowed_channels
    .filter((channel) => !templates[channel])
    .map(
      (channel): FieldError => ({ path: `templates.${channel}`, message: `is missing; the event allows ${channel}` }),
    )
  if (allowed_channels.length === 0) {
    errors.push({ path: 'allowed_channels', message: 'must name at least one channel to be published' })
  }
  errors.push(...missingCodes(id, templates))
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
  if (templates.whatsapp) await requireApprovedCategory(run, id, templates.whatsapp)
}

/** The events `otp` and `otp.<language>` send one-time codes; a message without the code would be of no use. */
function missingCodes({ eventKey }: EventId, { sms, email }: EventContent['templates']): FieldError[] {
  if (eventKey !== 'otp' && !eventKey.startsWith('otp.')) return []
  const texts = { 'sms.body': sms?.body, 'email.body': email?.body, 'email.html_body': email?.html_body }
  return Object.entries(texts)
    .filter(([, text]) => text !== undefined && !printsCode(text))
    .map(([path]) => ({ path: `templates.${path}`, message: 'must contain {{code}}: the event sends one-time codes' }))
}

/** Whether a placeholder names `code`. */
const printsCode = (template: string) =>
  template
    .split('{{')
    .slice(1)
    .some((part) => /\bcode\b/.test(part.split('}}', 1)[0]!))

/** What the carrier has not judged yet may be published; sending it is refused until it is approved. */
async function requireApprovedCategory(
  run: Run,
  id: EventId,
  { template_name, language, category }: NonNullable<EventContent['templates']['whatsapp']>,
): Promise<void> {
  const approved = await approvedCategories(run, id, { name: template_name, language })
  if (approved.length === 0 || approved.includes(category)) return
  const message = `is ${category}, but the template ${template_name} is approved as ${approved.join(' and ')}`
  throw new Problem('template_category_mismatch', `templates.whatsapp.category ${message}`, {
    errors: [{ path: 'templates.whatsapp.category', message }],
  })
}
