import type { MetaNumber } from './number.ts'

/** A message template of an account. */
export interface Template {
  name: string
  language: string
  status: string
  category: string
  body: string
  buttons: string[]
}

/** The templates of the accounts; all accounts start with the same ones. */
export interface TemplateBook {
  /** Undefined for an account that does not exist. */
  of(businessAccountId: string): Template[] | undefined
}

const language = 'en_US'
const first: readonly Template[] = [
  {
    name: 'order_update',
    language,
    status: 'APPROVED',
    category: 'UTILITY',
    body: 'Hi {{1}}, your order {{2}} is on its way.',
    buttons: ['Track order', 'Stop'],
  },
  {
    name: 'spring_sale',
    language,
    status: 'APPROVED',
    category: 'MARKETING',
    body: 'Hi {{first_name}}, spring sale until {{until}}!',
    buttons: ['Unsubscribe'],
  },
  {
    name: 'promo_spring',
    language,
    status: 'PENDING',
    category: 'MARKETING',
    body: 'Hi {{1}}, it is spring.',
    buttons: ['Unsubscribe'],
  },
  { name: 'promo_rejected', language, status: 'REJECTED', category: 'MARKETING', body: '{{1}}{{2}}', buttons: [] },
  { name: 'promo_paused', language, status: 'PAUSED', category: 'MARKETING', body: 'Hi {{1}}.', buttons: [] },
  { name: 'promo_disabled', language, status: 'DISABLED', category: 'MARKETING', body: 'Hi {{1}}.', buttons: [] },
  {
    name: 'otp_code',
    language,
    status: 'APPROVED',
    category: 'AUTHENTICATION',
    body: '{{1}} is your verification code.',
    buttons: ['Copy code'],
  },
]

export function createTemplateBook(numbers: readonly MetaNumber[]): TemplateBook {
  const book = new Map(
    numbers.map(({ business_account_id }) => [business_account_id, first.map((template) => ({ ...template }))]),
  )
  return { of: (businessAccountId) => book.get(businessAccountId) }
}
