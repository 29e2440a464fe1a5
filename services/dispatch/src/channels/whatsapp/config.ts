import { z } from 'zod'
import { concurrency } from '../concurrency.ts'

const categories = ['marketing', 'utility', 'authentication'] as const

/** Credits by category, `marketing:3,utility:1,authentication:1`. */
const credits = z
  .string()
  .default('marketing:3,utility:1,authentication:1')
  .transform((text, issues) => {
    const given = new Map(text.split(',').map((part) => part.split(':').map((word) => word.trim()) as [string, string]))
    const read = categories.map((category) => [category, Number(given.get(category) ?? Number.NaN)] as const)
    if (given.size === categories.length && read.every(([, count]) => Number.isInteger(count) && count >= 0)) {
      return Object.fromEntries(read) as Record<(typeof categories)[number], number>
    }
    issues.addIssue({
      code: 'custom',
      message: 'must name marketing, utility and authentication, each with a whole number',
    })
    return z.NEVER
  })

export const whatsappVariables = {
  WHATSAPP_CONCURRENCY: concurrency(96).describe(
    'WhatsApp messages in hand at the same time, in each of the lanes `otp` and `transactional` of one worker',
  ),
  WHATSAPP_BULK_CONCURRENCY: concurrency(24).describe('The same in the lane `bulk`'),
  WHATSAPP_CREDITS: credits.describe('Credits of a WhatsApp message by the category of its template'),
  SERVICE_WHATSAPP_OTP_TEMPLATE_NAME: z
    .string()
    .default('otp_code')
    .describe('Authentication template that one-time codes are sent with; the account must have it approved'),
  SERVICE_WHATSAPP_OTP_TEMPLATE_LANGUAGE: z.string().default('en_US').describe('Language of that template'),
  SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON: z
    .stringbool()
    .default(true)
    .describe('Whether that template has a button that copies the code; false for old ones with a body alone'),
}
