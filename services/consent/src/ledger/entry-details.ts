import type { ConsentEntry } from '@notify/contracts'
import { type KeyRing, recipientTag } from '@notify/privacy'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../db/schema.ts'

/** The encrypted part of an entry. */
const EntryDetails = z.object({
  phone: z.string(),
  reference: z.string().nullable().default(null),
  evidence_url: z.string().nullable().default(null),
})
export type EntryDetails = z.output<typeof EntryDetails>

export type EntryRow = Selectable<Tables['consent_entries']>

/** The AAD of an entry's details: it binds them to their row. */
export const detailsAad = (tenantId: string, id: string) => `consent_entries|${tenantId}|${id}`

export function sealDetails(keyRing: KeyRing, details: EntryDetails, tenantId: string, id: string): Buffer {
  return keyRing.encrypt(JSON.stringify(details), detailsAad(tenantId, id))
}

/** An entry as its tenant sees it. */
export function describeEntry(keyRing: KeyRing, row: EntryRow): ConsentEntry {
  const text = keyRing.decrypt(row.details, detailsAad(row.tenant_id, row.id))
  const { phone, reference, evidence_url } = EntryDetails.parse(JSON.parse(text))
  return {
    id: row.id,
    phone_e164: phone,
    action: row.action,
    source: row.source,
    reference,
    evidence_url,
    recipient_tag: recipientTag(row.recipient_index),
    status: row.status,
    recorded_at: row.recorded_at.toISOString(),
  }
}
