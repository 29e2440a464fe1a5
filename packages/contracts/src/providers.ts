import { z } from 'zod'
import { e164Pattern } from './text.ts'

/** Credentials of a Twilio account: spec 1.10. Exactly one of `from` and `messaging_service_sid`. */
export const TwilioCredentials = z
  .strictObject({
    account_sid: z.string().regex(/^AC[0-9a-f]{32}$/, 'must be AC and 32 hexadecimal digits'),
    auth_token: z.string().min(16).max(128),
    from: z.string().regex(e164Pattern, 'must be an E.164 number').optional(),
    messaging_service_sid: z
      .string()
      .regex(/^MG[0-9a-f]{32}$/, 'must be MG and 32 hexadecimal digits')
      .optional(),
  })
  .refine((c) => (c.from === undefined) !== (c.messaging_service_sid === undefined), {
    message: 'give either from or messaging_service_sid',
  })
export type TwilioCredentials = z.infer<typeof TwilioCredentials>

/** Credentials of an Amazon SES account. */
export const SesCredentials = z.strictObject({
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1'),
  access_key_id: z.string().min(16).max(128),
  secret_access_key: z.string().min(1).max(256),
  from: z.string().min(3).max(320),
  from_name: z.string().max(255).optional(),
  configuration_set: z.string().max(64).optional(),
  topic_arns: z.string().max(2048).optional(),
})
export type SesCredentials = z.infer<typeof SesCredentials>
