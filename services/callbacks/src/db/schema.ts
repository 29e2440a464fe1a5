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
    /** The carrier's name for the account. */
    account_id: string
    credentials: Buffer
    updated_at: Time
  }
  received_callbacks: {
    provider_id: string
    provider_message_id: string
    status: string
    received_at: Time
  }
}
