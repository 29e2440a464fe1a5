import { type ParsedUrlQuery, parse } from 'node:querystring'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { correlationOfUrl } from '../correlation.ts'
import type { Callback, Claim, FindAccounts, Received, ReceivingAccount } from '../receiver.ts'
import { findSigners, hasSigned } from './signature.ts'

/** A Twilio identifier; excludes characters such as NUL that Postgres cannot query. */
export const Sid = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** The id of an account. */
export const AccountSid = z.string().regex(/^AC[0-9a-f]{32}$/)

const maxFields = 200

/** Parsed fields and the raw form: Twilio adds fields without notice, and signs all of them. */
export interface Form<Fields> {
  parameters: Record<string, string | string[]>
  fields: Fields
}

/**
 * Parses the form of a callback.
 * @throws Problem `unsupported_media_type`, or `validation_failed` when a field is missing
 */
export function readForm<S extends z.ZodType>(
  schema: S,
  body: Buffer,
  contentType: string | undefined,
): Form<z.output<S>> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
    throw new Problem('unsupported_media_type', 'Send the callback as application/x-www-form-urlencoded')
  }
  const parameters: ParsedUrlQuery = parse(body.toString('utf8'), '&', '=', { maxKeys: maxFields })
  const form = schema.safeParse(parameters)
  if (form.success) return { parameters: { ...parameters } as Form<unknown>['parameters'], fields: form.data }
  const errors = form.error.issues.map(({ path }) => ({
    path: path.join('.'),
    message: 'is missing or malformed',
  }))
  throw new Problem('validation_failed', 'The callback lacks a required field', { errors })
}

/** A verified form. */
export interface SignedForm<Fields> {
  fields: Fields
  /** Those of the claimed accounts whose token signed. */
  signers: readonly [ReceivingAccount, ...ReceivingAccount[]]
  hasSigned(account: ReceivingAccount): boolean
  find: FindAccounts | undefined
}

/**
 * Opens a form signed over the public URL.
 * @param read builds the result from the verified form
 * @param sendersOf the senders that the form addresses
 * @throws Problem as `readForm` does
 */
export function openSignedForm<S extends z.ZodType<{ AccountSid: string }>>(
  publicUrl: string,
  { body, headers, url }: Callback,
  schema: S,
  read: (form: SignedForm<z.output<S>>) => Promise<Received> | Received,
  sendersOf?: (fields: z.output<S>) => readonly string[],
): Claim {
  const { parameters, fields } = readForm(schema, body, headers['content-type'])
  const signed = { signature: headers['x-twilio-signature'], url: publicUrl + url, parameters }
  return {
    of: {
      accountId: fields.AccountSid,
      addressId: correlationOfUrl(url).provider_id,
      ...(sendersOf ? { senders: sendersOf(fields) } : {}),
    },
    receive: (accounts, find) =>
      read({
        fields,
        signers: findSigners(accounts, signed),
        hasSigned: (account) => hasSigned(account, signed),
        find,
      }),
  }
}
