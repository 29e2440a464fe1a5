import { e164Pattern } from '@notify/contracts'
import { z } from 'zod'

const Token = z
  .string()
  .min(16)
  .max(128)
  .regex(/^[^,]*$/, 'must not contain commas')

/** Credentials of a Twilio account. Exactly one of `from` and `messaging_service_sid`. */
export const TwilioCredentials = z
  .strictObject({
    account_sid: z
      .string()
      .regex(/^AC[0-9a-f]{32}$/, 'must be AC and 32 hexadecimal digits')
      .meta({ title: 'Account SID' }),
    auth_token: Token.meta({ title: 'Auth token' }),
    previous_auth_token: Token.optional().meta({
      title: 'Previous token',
      description: 'While another one replaces it: both prove callbacks. Twilio signs with its primary token.',
    }),
    from: z
      .string()
      .regex(e164Pattern, 'must be an E.164 number; for a short code or a name give messaging_service_sid')
      .optional()
      .meta({
        title: 'Sender number',
        description: 'In E.164 form. For a short code or a name, give a messaging service that contains it.',
        examples: ['+15005550006'],
      }),
    messaging_service_sid: z
      .string()
      .regex(/^MG[0-9a-f]{32}$/, 'must be MG and 32 hexadecimal digits')
      .optional()
      .meta({ title: 'Messaging service SID', description: 'In place of a sender number' }),
  })
  .refine((c) => (c.from === undefined) !== (c.messaging_service_sid === undefined), {
    message: 'give either from or messaging_service_sid',
  })
  .meta({ title: 'Twilio' })
export type TwilioCredentials = z.infer<typeof TwilioCredentials>
