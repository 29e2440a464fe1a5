import type { DomainRecordStatus, DomainStatus } from '@notify/contracts'
import { column } from '@notify/database'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

/** The records of a domain; one each. */
export type RecordKey = 'dkim' | 'spf' | 'mail_from_mx' | 'mail_from_spf'

export interface RecordState {
  status: DomainRecordStatus
  found?: string
  error?: string
}

export type RecordStates = Partial<Record<RecordKey, RecordState>>

export type Time = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of sending domains. */
export const domainTables = {
  domains: {
    id: column<string>(),
    tenant_id: column<string>(),
    /** Lower-case, in ASCII. */
    domain: column<string>(),
    selector: column<string>(),
    /** Base64 of the SubjectPublicKeyInfo. */
    public_key: column<string>(),
    /** Base64 of the PKCS #8 key, encrypted. */
    private_key: column<Buffer>(),
    mail_from_region: column<string | null>(),
    status: column<Generated<DomainStatus>>(),
    /** Incremented with each change of the status. */
    revision: column<Generated<number>>(),
    record_states: column<JSONColumnType<RecordStates>>(),
    verified_at: column<Time | null>(),
    last_checked_at: column<Time | null>(),
    /** Start of the check with the stored result; older checks never replace it. */
    check_started_at: column<Time | null>(),
    next_check_at: column<Time>(),
    status_since: column<Time>(),
    created_at: column<Time>(),
  },
  domain_identities: {
    domain_id: column<string>(),
    provider_id: column<string>(),
    tenant_id: column<string>(),
    domain: column<string>(),
    selector: column<string>(),
    /** Whether the carrier should have the domain. */
    wanted: column<Generated<boolean>>(),
    /** Revision of the provider's credentials at the last registration. */
    synced_revision: column<number | null>(),
    synced_at: column<Time | null>(),
    failures: column<Generated<number>>(),
    error: column<string | null>(),
    next_try_at: column<Time | null>(),
    leased_until: column<Time | null>(),
  },
}
