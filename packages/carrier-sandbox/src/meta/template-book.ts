import type { MetaNumber } from './number.ts'

/** A message template of an account. */
export interface Template {
  name: string
  language: string
  status: string
  category: string
  header?: { format: string; text?: string | undefined } | undefined
  body: string
  footer?: string
  buttons: TemplateButton[]
}

export interface TemplateButton {
  type: string
  text: string
  url?: string | undefined
}

/** The templates of the accounts; all accounts start with the same ones. */
export interface TemplateBook {
  /** Undefined for an account that does not exist. */
  of(businessAccountId: string): Template[] | undefined
}

const quickReply = (text: string): TemplateButton => ({ type: 'QUICK_REPLY', text })

const language = 'en_US'
const first: readonly Template[] = [
  {
    name: 'order_update',
    language,
    status: 'APPROVED',
    category: 'UTILITY',
    body: 'Hi {{1}}, your order {{2}} is on its way.',
    buttons: [quickReply('Track order'), quickReply('Stop')],
  },
  {
    name: 'spring_sale',
    language,
    status: 'APPROVED',
    category: 'MARKETING',
    body: 'Hi {{first_name}}, spring sale until {{until}}!',
    buttons: [quickReply('Unsubscribe')],
  },
  {
    name: 'invoice_ready',
    language,
    status: 'APPROVED',
    category: 'UTILITY',
    header: { format: 'TEXT', text: 'Invoice {{1}}' },
    body: 'Hi *{{1}}*, your invoice over {{2}} is ready.',
    footer: 'Demo Shop',
    buttons: [
      { type: 'URL', text: 'Open the invoice', url: 'https://shop.example/invoices/{{1}}' },
      quickReply('Stop'),
    ],
  },
  {
    name: 'promo_spring',
    language,
    status: 'PENDING',
    category: 'MARKETING',
    body: 'Hi {{1}}, it is spring.',
    buttons: [quickReply('Unsubscribe')],
  },
  { name: 'promo_rejected', language, status: 'REJECTED', category: 'MARKETING', body: '{{1}}', buttons: [] },
  { name: 'promo_paused', language, status: 'PAUSED', category: 'MARKETING', body: 'Hi {{1}}.', buttons: [] },
  { name: 'promo_disabled', language, status: 'DISABLED', category: 'MARKETING', body: 'Hi {{1}}.', buttons: [] },
  {
    name: 'otp_code',
    language,
    status: 'APPROVED',
    category: 'AUTHENTICATION',
    body: '{{1}} is your verification code.',
    buttons: [
      {
        ...{ type: 'URL', text: 'Copy code' },
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      },
    ],
  },
]

export function createTemplateBook(numbers: readonly MetaNumber[]): TemplateBook {
  const book = new Map(
    numbers.map(({ business_account_id }) => [business_account_id, first.map((template) => ({ ...template }))]),
  )
  return { of: (businessAccountId) => book.get(businessAccountId) }
}
