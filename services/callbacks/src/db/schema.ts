import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema. */
export interface Tables {
  /** The part of providers needed to verify signatures; dispatch owns the record. */
  providers: {
    id: string
    tenant_id: string
    kind: string
    revision: number
    /** The carrier's id of the account, if callbacks contain it. */
    account_id: string | null
    /** The carrier's name for what the account is part of, where callbacks bear that instead. */
    parent_id: string | null
    /** What a carrier must show once before it calls an address of this account, encrypted. */
    verify_token: Buffer | null
    /** The secret that verifies callbacks, encrypted. */
    credentials: Buffer | null
    /** The number or messaging service that sends SMS. */
    sender: string | null
    /** The trusted SNS topics. */
    topic_arns: string[]
    /** Since when nothing new is sent through it; what is in flight is still reported. */
    deleted_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    updated_at: Time
  }
  received_callbacks: {
    provider_id: string
    provider_message_id: string
    status: string
    received_at: Time
  }
  /** The outbox message with the receipts of an attempt. */
  told_receipts: {
    attempt_id: string
    status: string
    message_id: string
    told_at: Time
  }
}
