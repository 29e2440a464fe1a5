import { parse } from 'node:querystring'
import { idSchema } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'

/** A status callback's fields; Twilio adds others without notice, and all of them are signed. */
export interface StatusForm {
  parameters: Record<string, string | string[]>
  accountSid: string
  messageSid: string
  messageStatus: string
  errorCode: string | null
}

/** The carrier's identifiers; other characters (NUL) could not even be looked for. */
const Sid = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

const Form = z.object({
  AccountSid: Sid,
  MessageSid: Sid,
  MessageStatus: z.string().min(1).max(32),
  ErrorCode: z.string().max(16).optional(),
})

const maxFields = 200

/**
 * Reads the form of a status callback.
 * @throws Problem `unsupported_media_type`, or `validation_failed` when a field is missing
 * @see https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
export function readStatusForm(body: Buffer, contentType: string | undefined): StatusForm {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType ?? '')) {
    throw new Problem('unsupported_media_type', 'Status callbacks are sent as application/x-www-form-urlencoded')
  }
  const parameters = parse(body.toString('utf8'), '&', '=', { maxKeys: maxFields }) as Record<string, string | string[]>
  const form = Form.safeParse(parameters)
  if (!form.success) {
    const errors = form.error.issues.map(({ path }) => ({
      path: path.join('.'),
      message: 'is missing or not of its form',
    }))
    throw new Problem('validation_failed', 'The status callback lacks a field', { errors })
  }
  const { AccountSid, MessageSid, MessageStatus, ErrorCode } = form.data
  const errorCode = ErrorCode && /^\d+$/.test(ErrorCode) && ErrorCode !== '0' ? ErrorCode : null
  return {
    parameters: { ...parameters },
    accountSid: AccountSid,
    messageSid: MessageSid,
    messageStatus: MessageStatus,
    errorCode,
  }
}

const Correlation = z.object({
  notification_id: idSchema('notif').optional().catch(undefined),
  attempt_id: idSchema('att').optional().catch(undefined),
  provider_id: idSchema('prov').optional().catch(undefined),
})

/** Our own correlation, which travelled in the callback's address. */
export function readCorrelation(url: string): z.output<typeof Correlation> {
  const query = url.indexOf('?')
  return Correlation.parse(query === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(query))))
}
