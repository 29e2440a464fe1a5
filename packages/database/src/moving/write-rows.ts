import type { KeyRing } from '@notify/privacy'
import type { Client } from 'pg'
import type { EncryptedColumn } from '../rotation-statements.ts'
import { createKeyHashes, hashOf, type KeyHashes } from './key-hashes.ts'
import { type MovedTable, ofTenant, readShape, type Shape } from './tenant-tables.ts'
import type { MovedRow } from './transport.ts'

const rowsAtOnce = 2000

/** What an import did to one table. */
export interface TableCount {
  rows: number
  /** Inserted or changed. */
  written: number
  removed: number
}

interface Writing {
  shape: Shape
  encrypted: readonly EncryptedColumn[]
  keyRing: KeyRing | undefined
}

export interface TableWriter {
  write(rows: readonly MovedRow[]): Promise<void>
  /** Deletes or ends the tenant's rows that the export does not contain. */
  finish(): Promise<TableCount>
}

/**
 * Writes the rows of one table of a tenant: inserts new ones, changes those that differ, and deletes or ends the others.
 * {@link openPresent} must have been called before.
 * @param columns the columns that the export contains
 */
export function createTableWriter(
  client: Client,
  moved: MovedTable,
  { columns, ...writing }: Writing & { columns: readonly string[] },
): TableWriter {
  const { table, appendOnly } = moved
  const { shape } = writing
  const key = moved.key ?? shape.key
  const unknown = columns.filter((name) => !shape.columns.includes(name))
  if (unknown.length > 0) throw new Error(`this release has no column ${table}.${unknown[0]}: update it first`)
  const insert = insertOf(moved, key, columns)
  const arrived = createKeyHashes()
  const count: TableCount = { rows: 0, written: 0, removed: 0 }
  return {
    async write(rows) {
      const { rows: found } = await client.query<{ written: number; hashes: string[] }>(insert, [
        `[${rows.map((row) => sealedForCell(row, writing)).join(',')}]`,
      ])
      count.rows += rows.length
      count.written += found[0]!.written
      if (!appendOnly) arrived.add(found[0]!.hashes)
    },
    async finish() {
      if (appendOnly) return count
      return { ...count, removed: await removeOthers(client, moved, arrived) }
    },
  }
}

const presentOf = (table: string) => `present_${table}`

/**
 * Opens a cursor over the rows that this cell has of the tenant. Call it before the first row of any table is written: a STOP that
 * is recorded here from then on is not in the cursor, and stays.
 * @param owner the tenant and its applications
 */
export async function openPresent(client: Client, moved: MovedTable, owner: readonly unknown[]): Promise<void> {
  const { table, appendOnly } = moved
  if (appendOnly) return
  const key = moved.key ?? (await readShape(client, table)).key
  const ofOwner = ofTenant(moved)
  const present = `select ctid, ${hashOf(key)} as hash from ${table} where ${ofOwner}`
  const values = owner.slice(0, ofOwner.includes('$2') ? 2 : 1)
  await client.query(`declare ${presentOf(table)} no scroll cursor for ${present}`, values)
}

/**
 * Deletes or ends the present rows that have not arrived, a page at a time: a tenant may have millions. A row that another
 * transaction has changed since has another ctid, and stays.
 */
async function removeOthers(client: Client, { table, ended }: MovedTable, arrived: KeyHashes): Promise<number> {
  const remove = ended === undefined ? `delete from ${table}` : `update ${table} set ${ended}`
  const hasArrived = arrived.toLookup()
  let removed = 0
  for (;;) {
    const { rows } = await client.query<{ ctid: string; hash: string }>(`fetch ${rowsAtOnce} from ${presentOf(table)}`)
    if (rows.length === 0) break
    const others = rows.filter(({ hash }) => !hasArrived(hash)).map(({ ctid }) => ctid)
    if (others.length > 0)
      removed += (await client.query(`${remove} where ctid = any($1::tid[])`, [others])).rowCount ?? 0
  }
  await client.query(`close ${presentOf(table)}`)
  return removed
}

function insertOf(
  { table, appendOnly, erased = () => 'false', isNewer = () => 'false', fitted = {}, own = [] }: MovedTable,
  key: readonly string[],
  columns: readonly string[],
): string {
  const shared = columns.filter((name) => !own.includes(name))
  const values = shared.map((name) => fitted[name] ?? `incoming.${name}`)
  const changed = shared.filter((name) => !key.includes(name))
  const differs = `(${changed.map((name) => `known.${name}`).join(', ')}) is distinct from (${changed.map((name) => `excluded.${name}`).join(', ')})`
  const set = changed.map((name) => `${name} = excluded.${name}`).join(', ')
  const replaces = appendOnly
    ? `${erased('excluded')} and ${differs}`
    : `${differs} and not ${isNewer('known', 'excluded')}`
  const onConflict = changed.length === 0 ? 'do nothing' : `do update set ${set} where ${replaces}`
  return `
    with incoming as materialized (
      select made.* from jsonb_array_elements($1::jsonb) as item
      cross join lateral jsonb_populate_record(null::${table}, (item -> 'row') || (item -> 'sealed')) as made),
    written as (
      insert into ${table} as known (${shared.join(', ')}) overriding system value
      select ${values.join(', ')} from incoming on conflict (${key.join(', ')}) ${onConflict} returning 1)
    select (select count(*)::int from written) as written, array(select ${hashOf(key)} from incoming) as hashes`
}

/** The row with its secrets encrypted under the key of this cell, as JSON text. */
function sealedForCell({ row, secrets }: MovedRow, { encrypted, keyRing }: Writing): string {
  const found = Object.keys(secrets).length === 0 ? {} : (JSON.parse(row) as Record<string, unknown>)
  const sealed = encrypted.flatMap(({ column, aadFrom, aad }) => {
    const text = secrets[column]
    if (text === undefined) return []
    const bytes = keyRing!.encrypt(text, aad(...aadFrom.map((name) => String(found[name]))))
    return [[column, `\\x${bytes.toString('hex')}`] as const]
  })
  return `{"row":${row},"sealed":${JSON.stringify(Object.fromEntries(sealed))}}`
}
