import { join } from 'node:path'
import type { ServiceName } from '@notify/contracts'
import type { EncryptedColumn, IndexedTable } from '@notify/database'
import { filesBelow, root } from './sources.ts'

/** The encrypted columns that a service lists. */
export async function encryptedColumnsOf(service: ServiceName): Promise<readonly EncryptedColumn[]> {
  const { encryptedColumns = [] } = await listOf<{ encryptedColumns?: readonly EncryptedColumn[] }>(
    service,
    '/encrypted-columns.ts',
  )
  return encryptedColumns
}

/** The tables with blind indexes that a service lists. */
export async function indexedTablesOf(service: ServiceName): Promise<readonly IndexedTable[]> {
  const { indexedTables = [] } = await listOf<{ indexedTables?: readonly IndexedTable[] }>(
    service,
    '/indexed-tables.ts',
  )
  return indexedTables
}

/** A file of a service by the end of its path. */
async function listOf<List extends object>(service: ServiceName, end: string): Promise<List | Partial<List>> {
  const file = filesBelow(join('services', service, 'src')).find((path) => path.endsWith(end))
  return file === undefined ? {} : ((await import(join(root, file))) as List)
}
