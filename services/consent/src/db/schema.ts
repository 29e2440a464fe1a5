import type { ConsentAction, ConsentStatus, KeyMode } from '@notify/contracts'
import { column, type TablesOf } from '@notify/database'
import type { ColumnType, Generated } from 'kysely'
import type { z } from 'zod'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type Mode = z.infer<typeof KeyMode>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The current consent of each number, so that no check has to replay the ledger. */
  consents: {
    tenant_id: column<string>(),
    mode: column<Mode>(),
    recipient_index: column<string>(),
    status: column<Generated<ConsentStatus>>(),
    marketing_stopped: column<Generated<boolean>>(),
    /** Number of the latest entry. */
    sequence: column<Generated<number>>(),
    /** The entry that set the status. */
    entry_id: column<string | null>(),
    changed_at: column<Time>(),
  },
  /** The append-only ledger; only re-encryption changes a row. */
  consent_entries: {
    id: column<string>(),
    tenant_id: column<string>(),
    mode: column<Mode>(),
    recipient_index: column<string>(),
    sequence: column<number>(),
    action: column<ConsentAction>(),
    source: column<string>(),
    /** Status since this entry. */
    status: column<ConsentStatus>(),
    /** Blind index of the evidence, which recognises evidence given before. */
    evidence_index: column<string | null>(),
    /** Identifies the message that caused the entry, so that a repetition adds none. */
    origin: column<string | null>(),
    /** Number, reference and evidence, encrypted. */
    details: column<Buffer>(),
    recorded_at: column<Time>(),
  },
  /** Users of the carrier, who may write to us without a number. */
  users: {
    tenant_id: column<string>(),
    /** Blind index of the carrier's id. */
    user_index: column<string>(),
    /** Encrypted; null until the carrier has reported it. */
    phone: column<Buffer | null>(),
  },
  /** Changes by users whose number is not known yet. */
  waiting_changes: {
    tenant_id: column<string>(),
    user_index: column<string>(),
    origin: column<string>(),
    action: column<Exclude<ConsentAction, 'opt_in'>>(),
    source: column<string>(),
    received_at: column<Time>(),
  },
}

export type Tables = TablesOf<typeof tables>
