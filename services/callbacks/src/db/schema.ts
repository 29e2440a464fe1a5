import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema. */
export interface Tables {
  /** What is needed of providers to verify their signatures; dispatch owns the record. */
  providers: {
    id: string
    tenant_id: string
    kind: string
    revision: number
    /** The carrier's name for the account, where its callbacks bear one. */
    account_id: string | null
    /** The carrier's name for what the account is part of, where callbacks bear that instead. */
    parent_id: string | null
    /** What a carrier must show once before it calls an address of this account, encrypted. */
    verify_token: Buffer | null
    /** The secret that signs its callbacks, encrypted, where there is one. */
    credentials: Buffer | null
    /** The number, or the messaging service, that SMS are sent from. */
    sender: string | null
    /** The SNS topics that tell of its emails. */
    topic_arns: string[]
    updated_at: Time
  }
  received_callbacks: {
    provider_id: string
    provider_message_id: string
    status: string
    received_at: Time
  }
  /** Which message of the outbox has told of an attempt. */
  told_receipts: {
    attempt_id: string
    status: string
    message_id: string
    told_at: Time
  }
}
