import { column } from '../columns.ts'
import type { EncryptedColumn } from '../rotation-statements.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatement, statementOf } from '../statement.ts'

/** A table with blind indexes. */
export interface IndexedTable {
  table: string
  /** Columns whose text is an index, or ends with a point and an index. */
  indexes?: readonly string[]
  /** Columns with JSON whose fields `…_index` are indexes, with their types. */
  documents?: Readonly<Record<string, 'text' | 'jsonb'>>
  /** A column whose AAD contains an index. */
  sealed?: EncryptedColumn
  /** SQL: the tenant of a row, by default its `tenant_id`. A row whose tenant is null and whose index is old is deleted. */
  tenant?: string
}

export type RenewalStatements = ReturnType<typeof renewalStatements>

/** The statements that renew the indexes of a table. A test prepares those of each table that a service lists. */
export function renewalStatements({ table, indexes = [], documents = {}, sealed, tenant = 'tenant_id' }: IndexedTable) {
  const texts = [...indexes, ...Object.keys(documents)]
  const typeOf = (name: string) => documents[name] ?? 'text'
  const changed = texts.map((name, at) => `${name} = fresh.c${at}::${typeOf(name)}`)
  const parameters = texts.map((_, at) => `$${at + 2}::text[]`)
  const names = texts.map((_, at) => `c${at}`)
  const more = sealed
    ? { set: [`${sealed.column} = fresh.sealed`], from: [`$${texts.length + 2}::bytea[]`] }
    : undefined
  return {
    readPages: statementOf({
      name: `read-indexes-${table}`,
      isPrepared: false,
      text: `select ctid::text as at, ${tenant} as tenant, array[${texts.map((name) => `${name}::text`).join(', ')}] as texts,
               ${sealed ? sealed.column : 'null::bytea'} as sealed,
               array[${(sealed?.aadFrom ?? []).join(', ')}]::text[] as aad_values
             from ${table} where ctid >= $1::tid and ctid < $2::tid`,
      columns: {
        at: column.text(),
        tenant: column.text().nullable(),
        texts: column.texts<string | null>(),
        sealed: column.bytes().nullable(),
        aad_values: column.texts(),
      },
    }),
    replaceTexts: statementOf({
      name: `replace-indexes-${table}`,
      isPrepared: false,
      text: `update ${table} set ${[...changed, ...(more?.set ?? [])].join(', ')}
             from unnest($1::tid[], ${[...parameters, ...(more?.from ?? [])].join(', ')})
               as fresh (at, ${[...names, ...(more ? ['sealed'] : [])].join(', ')})
             where ${table}.ctid = fresh.at returning 1 as renewed`,
      columns: { renewed: column.integer() },
    }),
    deleteRows: statementOf({
      name: `delete-unowned-${table}`,
      isPrepared: false,
      text: `delete from ${table} where ctid = any($1::tid[])`,
    }),
  }
}

export const countPages = defineStatement({
  name: 'count-pages',
  isPrepared: false,
  text: `select (pg_relation_size($1::text::regclass) / current_setting('block_size')::int)::int as pages`,
  columns: { pages: column.integer() },
})

export const lockProgress = defineStatement({
  name: 'lock-progress',
  isPrepared: false,
  text: 'select reached from blind_index_keys where becoming = $1 for update',
  columns: { reached: sharedTables.blind_index_keys.reached },
})

export const saveProgress = defineStatement({
  name: 'save-progress',
  isPrepared: false,
  text: 'update blind_index_keys set reached = reached || jsonb_build_object($1::text, $2::int)',
})
