import { type BlindIndex, type IndexKeys, type KeyRing, lacksKeys } from '@notify/privacy'
import type { IndexedTable } from './renewal-statements.ts'

/** A row as it is read. */
export interface IndexedRow {
  at: string
  tenant: string | null
  /** The columns with indexes, then those with documents. */
  texts: readonly (string | null)[]
  sealed: Buffer | null
  aad_values: readonly string[]
}

/** A row to write, or to delete because its tenant is unknown. */
export type RenewedRow =
  | { at: string; isUnowned: true }
  | { at: string; texts: (string | null)[]; sealed: Buffer | null }

export interface Renewal {
  keys: IndexKeys
  renew: BlindIndex
  /** Of the encrypted columns. */
  keyRing: KeyRing | undefined
}

const indexField = /_index$/
const indexLength = 22

/** @returns undefined for a row whose indexes are under all keys */
export function renewRow(renewal: Renewal, table: IndexedTable, row: IndexedRow): RenewedRow | undefined {
  const indexCount = table.indexes?.length ?? 0
  const { at, tenant } = row
  const isOld = row.texts.slice(0, indexCount).some((text) => text !== null && lacksKeys(indexIn(text), renewal.keys))
  if (isOld && tenant === null) return { at, isUnowned: true }
  const texts = row.texts.map((text, column) => {
    if (text === null) return null
    return column < indexCount ? renewText(renewal, tenant, text) : renewDocument(renewal, tenant, text)
  })
  if (texts.every((text, column) => text === row.texts[column])) return undefined
  return { at, texts, sealed: row.sealed && resealed(renewal, table, row, texts) }
}

/** The index in a text: the whole text, or what follows a point at its end. */
const indexIn = (text: string): string => (text.at(-indexLength - 1) === '.' ? text.slice(-indexLength) : text)

function renewText({ renew }: Renewal, tenant: string | null, text: string): string {
  const index = indexIn(text)
  return tenant === null ? text : text.slice(0, text.length - index.length) + renew(tenant, index)
}

/** A document may contain events of several tenants, each of which names its tenant. */
function renewDocument(renewal: Renewal, tenant: string | null, text: string): string {
  if (!text.includes('_index"')) return text
  try {
    const document: unknown = JSON.parse(text)
    return renewFields(renewal, tenant, document) ? JSON.stringify(document) : text
  } catch {
    // A dead letter that is not JSON.
    return text
  }
}

/** @returns whether a field was changed */
function renewFields(renewal: Renewal, outer: string | null, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  const tenant = typeof fields.tenant_id === 'string' ? fields.tenant_id : outer
  let changed = false
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string' && indexField.test(name) && tenant !== null) {
      const index = renewal.renew(tenant, field)
      if (index === field) continue
      fields[name] = index
      changed = true
    } else if (renewFields(renewal, tenant, field)) changed = true
  }
  return changed
}

/** @throws Error when the ring cannot decrypt the value, which would be unreadable under the new AAD */
function resealed(
  { keyRing }: Renewal,
  { sealed, indexes = [] }: IndexedTable,
  row: IndexedRow,
  texts: (string | null)[],
) {
  const before = row.aad_values
  const after = sealed!.aadFrom.map((name, at) => {
    const column = indexes.indexOf(name)
    return column < 0 ? before[at]! : texts[column]!
  })
  const plain = keyRing!.decryptBytes(row.sealed!, sealed!.aad(...before))
  return keyRing!.encrypt(plain, sealed!.aad(...after))
}
