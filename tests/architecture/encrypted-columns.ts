import { join } from 'node:path'
import type { ServiceName } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import { filesBelow, root } from './sources.ts'

/** The encrypted columns that a service lists. */
export async function encryptedColumnsOf(service: ServiceName): Promise<readonly EncryptedColumn[]> {
  const file = filesBelow(join('services', service, 'src')).find((path) => path.endsWith('/encrypted-columns.ts'))
  if (file === undefined) return []
  const { encryptedColumns } = (await import(join(root, file))) as { encryptedColumns: readonly EncryptedColumn[] }
  return encryptedColumns
}
