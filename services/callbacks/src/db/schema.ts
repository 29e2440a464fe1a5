import { column, type TablesOf } from '@notify/database'
import type { ColumnType } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The part of providers needed to verify signatures; dispatch owns the record. */
  providers: {
    id: column<string>(),
    tenant_id: column<string>(),
    kind: column<string>(),
    revision: column<number>(),
    /** The carrier's id of the account, if callbacks contain it. */
    account_id: column<string | null>(),
    /** The carrier's name for what the account is part of, where callbacks bear that instead. */
    parent_id: column<string | null>(),
    /** What a carrier must show once before it calls an address of this account, encrypted. */
    verify_token: column<Buffer | null>(),
    /** The secret that verifies callbacks, encrypted. */
    credentials: column<Buffer | null>(),
    /** The number or messaging service that sends SMS. */
    sender: column<string | null>(),
    /** The trusted SNS topics. */
    topic_arns: column<string[]>(),
    /** Since when nothing new is sent through it; what is in flight is still reported. */
    deleted_at: column<ColumnType<Date | null, Date | null | undefined, Date | null>>(),
    /** Since when nothing is verified with it: the row keeps no secret, only the revision. */
    removed_at: column<ColumnType<Date | null, Date | null | undefined, Date | null>>(),
    updated_at: column<Time>(),
  },
  received_callbacks: {
    provider_id: column<string>(),
    provider_message_id: column<string>(),
    status: column<string>(),
    received_at: column<Time>(),
  },
  /** The outbox message with the receipts of an attempt. */
  told_receipts: {
    attempt_id: column<string>(),
    status: column<string>(),
    message_id: column<string>(),
    told_at: column<Time>(),
  },
}

export type Tables = TablesOf<typeof tables>
