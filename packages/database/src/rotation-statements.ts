import { keyIdBytes } from '@notify/privacy'
import { column as type } from './columns.ts'
import { statementOf } from './statement.ts'

/** A column encrypted with the service's key ring. */
export interface EncryptedColumn {
  table: string
  column: string
  /** Unique column of type text. */
  key: string
  /** The columns passed to {@link place}, in order. */
  placedBy: readonly string[]
  /** The AAD of a value. */
  place(...values: string[]): string
}

/** Rows whose key ids are read at a time. */
export const pageSize = 500

export type RotationStatements = ReturnType<typeof rotationStatements>

/** The statements that re-encrypt a column. A test prepares those of each column that a service lists. */
export function rotationStatements({ table, column, key, placedBy }: EncryptedColumn) {
  return {
    /** The next rows by key, with the prefix of each value that contains its key id. */
    readHeads: statementOf({
      name: `read-heads-${table}-${column}`,
      isPrepared: false,
      text: `select ${key} as key, array[${placedBy.join(', ')}]::text[] as place,
               substring(${column} from 1 for ${keyIdBytes}) as head, octet_length(${column}) as bytes
             from ${table} where ${key} > $1 order by ${key} limit ${pageSize}`,
      columns: {
        key: type.text().present(),
        place: type.texts(),
        head: type.bytes().nullable(),
        bytes: type.integer().nullable(),
      },
    }),
    readValues: statementOf({
      name: `read-values-${table}-${column}`,
      isPrepared: false,
      text: `select ${key} as key, ${column} as sealed from ${table}
             where ${key} = any($1) and ${column} is not null order by ${key}`,
      columns: { key: type.text().present(), sealed: type.bytes().present() },
    }),
    /** Locks rows in the order of the service's own statements, and replaces only unchanged values. */
    replaceValues: statementOf({
      name: `replace-values-${table}-${column}`,
      isPrepared: false,
      text: `
        with fresh as (select * from unnest($1::text[], $2::bytea[], $3::bytea[]) as t (key, known, anew)),
        locked as (select ${key} as key from ${table} where ${key} = any($1) order by ${key} for update)
        update ${table} set ${column} = fresh.anew from fresh join locked using (key)
        where ${table}.${key} = fresh.key and ${table}.${column} = fresh.known returning ${table}.${key} as key`,
      columns: { key: type.text().present() },
    }),
  }
}
