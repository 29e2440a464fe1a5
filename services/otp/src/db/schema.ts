import type { KeyMode, OtpChannel, OtpSettings, OtpStatus } from '@notify/contracts'
import { column, type TablesOf } from '@notify/database'
import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** Applications as the gateway publishes them. */
  applications: {
    id: column<string>(),
    tenant_id: column<string>(),
    revision: column<number>(),
    settings: column<OtpSettings>(),
    updated_at: column<Time>(),
  },
  transactions: {
    id: column<string>(),
    tenant_id: column<string>(),
    application_id: column<string>(),
    /** Mode of the key that began it. */
    mode: column<KeyMode>(),
    channel: column<OtpChannel>(),
    /** Encrypted; erased once the transaction is verified or expired. */
    recipient: column<Buffer | null>(),
    recipient_masked: column<string>(),
    recipient_index: column<string>(),
    /** Beginning of the number, by which conversion is judged; null for addresses. */
    prefix: column<string | null>(),
    language: column<string | null>(),
    /** Digits of the code. */
    length: column<number>(),
    ttl_seconds: column<number>(),
    /** Keyed HMAC of the current code; null when the code can no longer verify. */
    code_proof: column<string | null>(),
    status: column<OtpStatus>(),
    failure_reason: column<string | null>(),
    /** Wrong codes so far. */
    attempts: column<number>(),
    resends: column<number>(),
    /** The message that carries the current code. */
    notification_id: column<string>(),
    revision: column<number>(),
    traceparent: column<string | null>(),
    created_at: column<Time>(),
    updated_at: column<Time>(),
    expires_at: column<Time>(),
    verified_at: column<Time | null>(),
  },
  /** One row per code: counted by the limit per recipient, and handed to dispatch. */
  messages: {
    notification_id: column<string>(),
    transaction_id: column<string>(),
    tenant_id: column<string>(),
    mode: column<KeyMode>(),
    recipient_index: column<string>(),
    /** Request to dispatch, encrypted; erased once dispatch has answered. */
    request: column<Buffer | null>(),
    /** Error code with which dispatch refused it. */
    refusal: column<string | null>(),
    /** When it is next handed to dispatch; null once dispatch has answered. */
    due_at: column<Time | null>(),
    expires_at: column<Time>(),
    created_at: column<Time>(),
  },
}

export type Tables = TablesOf<typeof tables>
