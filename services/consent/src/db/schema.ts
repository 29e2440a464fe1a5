import type { ConsentAction, ConsentStatus, KeyMode } from '@notify/contracts'
import type { ColumnType, Generated } from 'kysely'
import type { z } from 'zod'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type Mode = z.infer<typeof KeyMode>

/** The tables of this service's own schema. */
export interface Tables {
  /** The current consent of each number, so that no check has to replay the ledger. */
  consents: {
    tenant_id: string
    mode: Mode
    recipient_index: string
    status: Generated<ConsentStatus>
    marketing_stopped: Generated<boolean>
    /** Number of the latest entry. */
    sequence: Generated<number>
    /** The entry that set the status. */
    entry_id: string | null
    changed_at: Time
  }
  /** The append-only ledger; only re-encryption changes a row. */
  consent_entries: {
    id: string
    tenant_id: string
    mode: Mode
    recipient_index: string
    sequence: number
    action: ConsentAction
    source: string
    /** Status since this entry. */
    status: ConsentStatus
    /** Blind index of the evidence, which recognises evidence given before. */
    evidence_index: string | null
    /** Identifies the message that caused the entry, so that a repetition adds none. */
    origin: string | null
    /** Number, reference and evidence, encrypted. */
    details: Buffer
    recorded_at: Time
  }
  /** Users of the carrier, who may write to us without a number. */
  users: {
    tenant_id: string
    /** Blind index of the carrier's id. */
    user_index: string
    /** Encrypted; null until the carrier has told it. */
    phone: Buffer | null
  }
  /** Changes by users whose number is not known yet. */
  waiting_changes: {
    tenant_id: string
    user_index: string
    origin: string
    action: Exclude<ConsentAction, 'opt_in'>
    source: string
    received_at: Time
  }
}
