import type { Id, KeyMode, OtpChannel, OtpSettings, OtpStatus } from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'

/** The fields of a transaction that a resend replaces. They are restored when dispatch refuses it. */
interface ReplacedCode {
  code_proof: string
  notification_id: Id<'notif'>
  status: OtpStatus
  failure_reason: string | null
  expires_at: string
}

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** Applications as the gateway publishes them. */
  applications: {
    id: column.id('app'),
    tenant_id: column.id('ten'),
    revision: column.integer(),
    settings: column.jsonb<OtpSettings>(),
    updated_at: column.timestamp().withDefault(),
  },
  transactions: {
    id: column.id('otp'),
    tenant_id: column.id('ten'),
    application_id: column.id('app'),
    /** Mode of the API key. */
    mode: column.text<KeyMode>(),
    channel: column.text<OtpChannel>(),
    /** Encrypted; erased once the transaction is verified or expired. */
    recipient: column.bytes().nullable(),
    recipient_masked: column.text(),
    recipient_index: column.text(),
    /** Prefix of the number, by which conversion is judged; null for addresses, and for an application's own codes. */
    prefix: column.text().nullable(),
    /** The locale that the request asked for, and the language of the text, once the message has an outcome. */
    language: column.text().nullable(),
    locale: column.text().nullable(),
    /** Digits of the code. */
    length: column.smallint(),
    /** Whether the application gave the code itself, and may check it itself. */
    is_custom: column.boolean().withDefault(),
    ttl_seconds: column.integer(),
    /** Keyed HMAC of the current code; null when the code can no longer verify. */
    code_proof: column.text().nullable(),
    /** The code that was sent before the current one; erased once dispatch has answered. */
    replaced: column.jsonb<ReplacedCode>().nullable(),
    status: column.text<OtpStatus>().withDefault(),
    failure_reason: column.text().nullable(),
    /** Wrong codes so far. */
    attempts: column.smallint().withDefault(),
    resends: column.smallint().withDefault(),
    /** The message that carries the current code. */
    notification_id: column.id('notif'),
    revision: column.integer().withDefault(),
    traceparent: column.text().nullable(),
    created_at: column.timestamp().withDefault(),
    updated_at: column.timestamp().withDefault(),
    expires_at: column.timestamp(),
    verified_at: column.timestamp().nullable(),
  },
  /** One row per code. The limit per recipient counts them. */
  messages: {
    notification_id: column.id('notif'),
    transaction_id: column.id('otp'),
    tenant_id: column.id('ten'),
    mode: column.text<KeyMode>(),
    recipient_index: column.text(),
    /** Request to dispatch, encrypted; erased once dispatch has answered. */
    request: column.bytes().nullable(),
    /** Error code with which dispatch refused it. */
    refusal: column.text().nullable(),
    /** When it is next handed to dispatch; null once dispatch has answered. */
    due_at: column.timestamp().nullable(),
    expires_at: column.timestamp(),
    created_at: column.timestamp().withDefault(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()
