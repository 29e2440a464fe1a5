import type { KeyRing } from '@notify/privacy'
import type { Client } from 'pg'
import type { EncryptedColumn } from '../rotation-statements.ts'
import { type MovedTable, ofTenant, type Shape } from './tenant-tables.ts'
import type { MovedRow } from './transport.ts'

const rowsAtOnce = 200

interface Reading {
  shape: Shape
  encrypted: readonly EncryptedColumn[]
  keyRing: KeyRing | undefined
}

/**
 * SQL: the rows of one table of the tenant, with each encrypted column and what its AAD is made of. Those of erased persons come
 * first: a person who came back has the unique values that they still have in the new cell. A sort would be of millions of rows.
 */
function selectRows(moved: MovedTable, encrypted: readonly EncryptedColumn[]): string[] {
  const names = encrypted.map(({ column }) => `'${column}'`).join(', ')
  const secrets = encrypted.flatMap(({ column, aadFrom }, at) => [
    `${column} as sealed${at}`,
    `array[${aadFrom.map((name) => `${name}::text`).join(', ')}] as aad${at}`,
  ])
  const row = encrypted.length === 0 ? 'to_jsonb(t)' : `to_jsonb(t) - array[${names}]`
  const all = `select (${row})::text as row${secrets.map((text) => `, ${text}`).join('')} from ${moved.table} t where (${ofTenant(moved)})`
  if (!moved.erased) return [all]
  const isErased = `(${moved.erased('t')}) is true`
  return [`${all} and ${isErased}`, `${all} and not ${isErased}`]
}

/** Reads the rows of one table of the tenant, in the transaction of the client. */
export async function* readRows(
  client: Client,
  moved: MovedTable,
  owner: readonly unknown[],
  { encrypted, keyRing }: Reading,
): AsyncGenerator<MovedRow[]> {
  for (const text of selectRows(moved, encrypted)) {
    // A declared cursor takes no parameters that its text does not have.
    const values = owner.slice(0, text.includes('$2') ? 2 : 1)
    await client.query(`declare moved no scroll cursor for ${text}`, values)
    for (;;) {
      const { rows } = await client.query<Record<string, unknown>>(`fetch ${rowsAtOnce} from moved`)
      if (rows.length === 0) break
      yield rows.map((found) => ({ row: found.row as string, secrets: secretsOf(found, encrypted, keyRing) }))
    }
    await client.query('close moved')
  }
}

function secretsOf(
  found: Record<string, unknown>,
  encrypted: readonly EncryptedColumn[],
  keyRing: KeyRing | undefined,
): Record<string, string> {
  const texts = encrypted.flatMap(({ column, aad }, at) => {
    const sealed = found[`sealed${at}`] as Buffer | null
    if (sealed === null) return []
    return [[column, keyRing!.decrypt(sealed, aad(...(found[`aad${at}`] as string[])))] as const]
  })
  return Object.fromEntries(texts)
}
