import { keyIdBytes } from '@notify/privacy'
import { column as type } from './columns.ts'
import { statementOf } from './statement.ts'

/** A column encrypted with the service's key ring. */
export interface EncryptedColumn {
  table: string
  column: string
  /** Unique column of type text. */
  key: string
  /** The columns passed to {@link aad}, in order. */
  aadFrom: readonly string[]
  /** The AAD of a value. */
  aad(...values: string[]): string
}

/** Rows whose key ids are read at a time. */
export const pageSize = 500

export type RotationStatements = ReturnType<typeof rotationStatements>

/** The statements that re-encrypt a column. A test prepares those of each column that a service lists. */
export function rotationStatements({ table, column, key, aadFrom }: EncryptedColumn) {
  return {
    /** The next rows by key, with the prefix of each value that contains its key id. */
    readHeads: statementOf({
      name: `read-heads-${table}-${column}`,
      isPrepared: false,
      text: `select ${key} as key, array[${aadFrom.join(', ')}]::text[] as aad_values,
               substring(${column} from 1 for ${keyIdBytes}) as head, octet_length(${column}) as bytes
             from ${table} where ${key} > $1 order by ${key} limit ${pageSize}`,
      columns: {
        key: type.text().present(),
        aad_values: type.texts(),
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
        with fresh as (select * from unnest($1::text[], $2::bytea[], $3::bytea[]) as t (key, known, rotated)),
        locked as (select ${key} as key from ${table} where ${key} = any($1) order by ${key} for update)
        update ${table} set ${column} = fresh.rotated from fresh join locked using (key)
        where ${table}.${key} = fresh.key and ${table}.${column} = fresh.known returning ${table}.${key} as key`,
      columns: { key: type.text().present() },
    }),
  }
}
