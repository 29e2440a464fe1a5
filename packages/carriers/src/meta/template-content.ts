import type { WhatsAppTemplateContent } from '@notify/contracts'
import { z } from 'zod'

const text = z.string().max(4096)
const Button = z.object({ type: z.string().max(40), text: text.default(''), url: text.optional() })
const Component = z.discriminatedUnion('type', [
  z.object({ type: z.literal('HEADER'), format: z.string().max(40).default('TEXT'), text: text.optional() }),
  z.object({ type: z.literal('BODY'), text }),
  z.object({ type: z.literal('FOOTER'), text: text.optional() }),
  z.object({ type: z.literal('BUTTONS'), buttons: z.array(Button).max(10) }),
  // An offer that ends needs the time of its end in each message.
  z.object({
    type: z.literal('LIMITED_TIME_OFFER'),
    limited_time_offer: z.object({ has_expiration: z.literal(false) }),
  }),
  z.object({ type: z.literal('CALL_PERMISSION_REQUEST') }),
])

/**
 * Reads the parts of a template, and names those that a message cannot fill; null if its body is unreadable.
 * @see https://developers.facebook.com/docs/whatsapp/business-management-api/message-templates/components
 */
export function readContent(components: readonly unknown[]): WhatsAppTemplateContent | null {
  const content: Omit<WhatsAppTemplateContent, 'body'> = { header: null, footer: null, buttons: [] }
  let body: string | undefined
  const others: string[] = []
  for (const component of components) {
    const { data: part } = Component.safeParse(component)
    if (!part) others.push(typeOf(component))
    if (part?.type === 'HEADER') content.header = { format: part.format.toLowerCase(), text: part.text ?? null }
    if (part?.type === 'BODY') body = part.text
    if (part?.type === 'FOOTER') content.footer = part.text ?? null
    if (part?.type === 'BUTTONS')
      content.buttons = part.buttons.map((one) => ({ ...one, type: one.type.toLowerCase(), url: one.url ?? null }))
  }
  if (body === undefined) return null
  return { ...content, body, ...(others.length > 0 && { other_components: others }) }
}

function typeOf(component: unknown): string {
  const { data } = z.object({ type: z.string().max(40) }).safeParse(component)
  return data?.type.toLowerCase() ?? 'unknown'
}
