import type { CarrierRecord } from '@notify/carriers/sending'
import type { DomainCarrierStatus, DomainRecordStatus, DomainStatus } from '@notify/contracts'
import { column } from '@notify/database'

/** The records of a domain; one each. */
export type RecordKey = 'dkim' | 'spf' | 'mail_from_mx' | 'mail_from_spf'

export interface RecordState {
  status: DomainRecordStatus
  found?: string
  error?: string
}

/** A domain at a carrier account. */
export interface DomainAtCarrier {
  provider_id: string
  kind: string
  name: string
  status: DomainCarrierStatus
  error: string | null
  checked_at: string | null
  /** Those that the carrier made. */
  records: CarrierRecord[]
}

export type RecordStates = Partial<Record<RecordKey, RecordState>>

/** The tables of sending domains. */
export const domainTables = {
  domains: {
    id: column.id('dom'),
    tenant_id: column.id('ten'),
    /** Lower-case, in ASCII. */
    domain: column.text(),
    selector: column.text(),
    /** Base64 of the SubjectPublicKeyInfo. */
    public_key: column.text(),
    /** Base64 of the PKCS #8 key, encrypted. */
    private_key: column.bytes(),
    mail_from_region: column.text().nullable(),
    status: column.text<DomainStatus>().withDefault(),
    /** Incremented with each change of the status. */
    revision: column.integer().withDefault(),
    record_states: column.jsonb<RecordStates>().withDefault(),
    verified_at: column.timestamp().nullable(),
    last_checked_at: column.timestamp().nullable(),
    /** Start of the check with the stored result; older checks never replace it. */
    check_started_at: column.timestamp().nullable(),
    next_check_at: column.timestamp(),
    status_since: column.timestamp().withDefault(),
    created_at: column.timestamp().withDefault(),
  },
  domain_identities: {
    domain_id: column.id('dom'),
    provider_id: column.id('prov'),
    tenant_id: column.id('ten'),
    domain: column.text(),
    selector: column.text(),
    /** Whether the carrier should have the domain. */
    wanted: column.boolean().withDefault(),
    /** Whether the account may send from the domain. */
    status: column.text<DomainCarrierStatus>().withDefault(),
    /** The records that the carrier made. */
    records: column.jsonb<CarrierRecord[]>().withDefault(),
    /** The carrier's name of the domain, and whether we added it there. */
    reference: column.text().nullable(),
    is_ours: column.boolean().withDefault(),
    /** Null in rows of before. */
    created_at: column.timestamp().nullable(),
    /** Revision of the provider's credentials at the last registration. */
    synced_revision: column.integer().nullable(),
    synced_at: column.timestamp().nullable(),
    failures: column.smallint().withDefault(),
    error: column.text().nullable(),
    next_try_at: column.timestamp().nullable(),
    leased_until: column.timestamp().nullable(),
  },
}
