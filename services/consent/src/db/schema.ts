import type { ConsentAction, ConsentStatus, KeyMode } from '@notify/contracts'
import { column, createBuilder, type TablesOf } from '@notify/database'
import type { z } from 'zod'

type Mode = z.infer<typeof KeyMode>

/** The tables of this service's own schema, and their columns. */
export const tables = {
  /** The current consent of each number, so that no check has to replay the ledger. */
  consents: {
    tenant_id: column.id('ten'),
    mode: column.text<Mode>(),
    recipient_index: column.text(),
    status: column.text<ConsentStatus>().withDefault(),
    marketing_stopped: column.boolean().withDefault(),
    /** When the newest marketing choice was made. */
    marketing_chosen_at: column.timestamp().nullable(),
    /** When the newest opt-in with fresh evidence was recorded. */
    agreed_at: column.timestamp().nullable(),
    /** Number of the latest entry. */
    sequence: column.integer().withDefault(),
    /** The entry that set the status. */
    entry_id: column.id('optin').nullable(),
    changed_at: column.timestamp().withDefault(),
  },
  /** The append-only ledger; only re-encryption changes a row. */
  consent_entries: {
    id: column.id('optin'),
    tenant_id: column.id('ten'),
    mode: column.text<Mode>(),
    recipient_index: column.text(),
    sequence: column.integer(),
    action: column.text<ConsentAction>(),
    source: column.text(),
    /** Status since this entry. */
    status: column.text<ConsentStatus>(),
    /** Blind index of the evidence, which recognises evidence given before. */
    evidence_index: column.text().nullable(),
    /** Identifies the message that caused the entry, so that a repetition adds none. */
    origin: column.text().nullable(),
    /** Number, reference and evidence, encrypted. */
    details: column.bytes(),
    recorded_at: column.timestamp(),
  },
  /** Evidence of erased entries: it is recognised as long as a stop of the number stays. */
  erased_evidence: {
    tenant_id: column.id('ten'),
    mode: column.text<Mode>(),
    recipient_index: column.text(),
    evidence_index: column.text(),
  },
  /** Users of the carrier, who may write to us without a number. */
  users: {
    tenant_id: column.id('ten'),
    /** Blind index of the carrier's id. */
    user_index: column.text(),
    /** Encrypted; null until the carrier has reported it. */
    phone: column.bytes().nullable(),
  },
  /** Changes by users whose number is not known yet. */
  waiting_changes: {
    tenant_id: column.id('ten'),
    user_index: column.text(),
    origin: column.text(),
    action: column.text<Exclude<ConsentAction, 'opt_in'>>(),
    source: column.text(),
    /** The carrier's time, or when it was stored. */
    occurred_at: column.timestamp(),
  },
}

export type Tables = TablesOf<typeof tables>

export const build = createBuilder<Tables>()
