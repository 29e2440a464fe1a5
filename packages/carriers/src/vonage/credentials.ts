import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { callbackSecret, headerText } from '../credential-fields.ts'

/** Credentials of a Vonage application. */
export const VonageCredentials = z
  .strictObject({
    api_key: z
      .string()
      .regex(/^[A-Za-z0-9]{6,32}$/, 'must be 6 to 32 letters and digits')
      .meta({ title: 'API key', description: 'Of the account' }),
    api_secret: headerText.meta({ title: 'API secret', description: 'Of the account' }),
    application_id: z
      .uuid()
      .meta({ title: 'Application ID', description: 'Of an application with the capability Messages' }),
    private_key: z
      .string()
      .max(8192)
      .refine(isRsaKey, 'must be an RSA private key in PEM')
      .meta({ title: 'Private key', description: 'Of the application, in PEM; line breaks may be missing' }),
    from: z
      .string()
      .regex(
        /^(?:\+[1-9]\d{6,14}|[A-Za-z0-9 ]{3,11})$/,
        'must be an E.164 number or 3 to 11 letters, digits and spaces',
      )
      .meta({ title: 'Sender', description: 'A number in E.164 form, or a name where the country allows it' }),
    signature_secret: callbackSecret('Signature secret', 'Of the account; it signs receipts and replies'),
  })
  .meta({ title: 'Vonage' })
export type VonageCredentials = z.infer<typeof VonageCredentials>

/** The key of a PEM text, whose line breaks a form may have removed. */
export function readPrivateKey(pem: string) {
  const [, type, base64 = ''] = /-----BEGIN ((?:RSA )?PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem) ?? []
  const lines = base64.replace(/\s+/g, '')
  return createPrivateKey(`-----BEGIN ${type}-----\n${lines}\n-----END ${type}-----\n`)
}

function isRsaKey(pem: string): boolean {
  try {
    return readPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
