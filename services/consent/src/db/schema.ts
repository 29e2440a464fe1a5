import type { ConsentAction, ConsentStatus, KeyMode } from '@notify/contracts'
import type { ColumnType, Generated } from 'kysely'
import type { z } from 'zod'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type Mode = z.infer<typeof KeyMode>

/** The tables of this service's own schema. */
export interface Tables {
  /** What holds for a number now: one row, so that nobody replays the ledger to answer. */
  consents: {
    tenant_id: string
    mode: Mode
    recipient_index: string
    status: Generated<ConsentStatus>
    marketing_stopped: Generated<boolean>
    /** Entries of the number in the ledger; the latest one bears this number. */
    sequence: Generated<number>
    /** The entry that made the status. */
    entry_id: string | null
    changed_at: Time
  }
  /** The ledger: entries are added and never changed, but for the key that encrypts them. */
  consent_entries: {
    id: string
    tenant_id: string
    mode: Mode
    recipient_index: string
    sequence: number
    action: ConsentAction
    source: string
    /** What the number may be written since this entry. */
    status: ConsentStatus
    /** Blind index of the evidence, to recognise one that was given before. */
    evidence_index: string | null
    /** The message that the entry was made of, so that its repetition makes none. */
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
