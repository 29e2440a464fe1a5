import { type ParsedUrlQuery, parse } from 'node:querystring'
import { type HttpRequest, Problem } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { SmsProvider } from '../providers/sms-providers.ts'
import { findSigners } from './find-signers.ts'

/** The carrier's identifiers; other characters (NUL) could not even be looked for. */
export const Sid = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

const maxFields = 200

/** A form's fields as they came; Twilio adds others without notice, and all of them are signed. */
export interface Form<Fields> {
  parameters: Record<string, string | string[]>
  fields: Fields
}

/**
 * Reads a callback's form.
 * @throws Problem `unsupported_media_type`, or `validation_failed` when a field is missing
 */
export function readForm<S extends z.ZodType>(
  schema: S,
  body: Buffer,
  contentType: string | undefined,
): Form<z.output<S>> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
    throw new Problem('unsupported_media_type', 'Callbacks are sent as application/x-www-form-urlencoded')
  }
  const parameters: ParsedUrlQuery = parse(body.toString('utf8'), '&', '=', { maxKeys: maxFields })
  const form = schema.safeParse(parameters)
  if (form.success) return { parameters: { ...parameters } as Form<unknown>['parameters'], fields: form.data }
  const errors = form.error.issues.map(({ path }) => ({
    path: path.join('.'),
    message: 'is missing or not of its form',
  }))
  throw new Problem('validation_failed', 'The callback lacks a field', { errors })
}

/**
 * Reads a form that one of our accounts signed over the public address.
 * @returns its fields, and the providers whose token signed: at least one
 * @throws Problem `invalid_signature`, and what `readForm` throws
 */
export async function readSignedForm<S extends z.ZodType<{ AccountSid: string }>>(
  { directory, config }: Context,
  { body, headers, url }: Pick<HttpRequest<never>, 'headers' | 'url'> & { body: Buffer },
  schema: S,
): Promise<{ fields: z.output<S>; signers: [SmsProvider, ...SmsProvider[]] }> {
  const { parameters, fields } = readForm(schema, body, headers['content-type'])
  const signed = { signature: headers['x-twilio-signature'], url: config.PUBLIC_URL + url, parameters }
  return { fields, signers: findSigners(await directory.sms.ofAccount(fields.AccountSid), signed) }
}
