import type { KeyMode, OtpChannel, OtpSettings, OtpStatus } from '@notify/contracts'
import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema. */
export interface Tables {
  /** Applications as the gateway publishes them. */
  applications: {
    id: string
    tenant_id: string
    revision: number
    settings: OtpSettings
    updated_at: Time
  }
  transactions: {
    id: string
    tenant_id: string
    application_id: string
    /** Mode of the key that began it. */
    mode: KeyMode
    channel: OtpChannel
    /** Encrypted; erased once the transaction is verified or expired. */
    recipient: Buffer | null
    recipient_masked: string
    recipient_index: string
    /** Beginning of the number, by which conversion is judged; null for addresses. */
    prefix: string | null
    language: string | null
    /** Digits of the code. */
    length: number
    ttl_seconds: number
    /** Keyed HMAC of the current code; null when the code can no longer verify. */
    code_proof: string | null
    status: OtpStatus
    failure_reason: string | null
    /** Wrong codes so far. */
    attempts: number
    resends: number
    /** The message that carries the current code. */
    notification_id: string
    revision: number
    traceparent: string | null
    created_at: Time
    updated_at: Time
    expires_at: Time
    verified_at: Time | null
  }
  /** One row per code: counted by the limit per recipient, and handed to dispatch. */
  messages: {
    notification_id: string
    transaction_id: string
    tenant_id: string
    mode: KeyMode
    recipient_index: string
    /** Request to dispatch, encrypted; erased once dispatch has answered. */
    request: Buffer | null
    /** Error code with which dispatch refused it. */
    refusal: string | null
    /** When it is next handed to dispatch; null once dispatch has answered. */
    due_at: Time | null
    expires_at: Time
    created_at: Time
  }
}
