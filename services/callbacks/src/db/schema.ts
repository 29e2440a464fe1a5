import { column, createBuilder, type TablesOf } from '@notify/database'

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The part of providers needed to verify signatures; dispatch owns the record. */
  providers: {
    id: column.id('prov'),
    tenant_id: column.id('ten'),
    kind: column.text(),
    revision: column.integer(),
    /** The carrier's id of the account, if callbacks contain it. */
    account_id: column.text().nullable(),
    /** The carrier's name of the account's parent, if callbacks contain that instead. */
    parent_id: column.text().nullable(),
    /** The token that a carrier must present before it calls an address of this account, or the key of what travels in one; encrypted. */
    verify_token: column.bytes().nullable(),
    /** The secret that verifies callbacks, encrypted. */
    credentials: column.bytes().nullable(),
    /** The number or messaging service that sends SMS. */
    sender: column.text().nullable(),
    /** The trusted SNS topics. */
    topic_arns: column.texts().withDefault(),
    /** Since when nothing new is sent through it; messages in flight are still reported. */
    deleted_at: column.timestamp().nullable(),
    /** Since when nothing is verified with it: the row keeps only the revision, not the secret. */
    removed_at: column.timestamp().nullable(),
    updated_at: column.timestamp().withDefault(),
  },
  received_callbacks: {
    provider_id: column.id('prov'),
    provider_message_id: column.text(),
    status: column.text(),
    received_at: column.timestamp().withDefault(),
    /** The attempt that a receipt reports on; null if it is about a copy. */
    attempt_id: column.id('att').nullable(),
    /** The outbox message with the event of a receipt; of a token, the hash of the body that it came with. */
    message_id: column.uuid().nullable(),
  },
  /** Tenants that another cell serves. */
  moved_tenants: {
    tenant_id: column.id('ten'),
    cell: column.text(),
    moved_at: column.timestamp().withDefault(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()
