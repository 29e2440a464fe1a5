import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import { sealMetadata } from './metadata.ts'

/** Rows looked at in one round: each round is short, so that nothing waits for it. */
const pageSize = 500

interface Row {
  id: string
  tenant_id: string
  metadata: Record<string, string> | null
}

/**
 * Encrypts the metadata of notifications from before it was encrypted. May run beside the service, be cut off and repeated.
 * @returns how many were encrypted
 */
export async function sealOldMetadata(db: Pick<Queries, 'run'>, keyRing: KeyRing, log: Logger): Promise<number> {
  let count = 0
  for (let after = ''; ; ) {
    const page = await db.run<Row>(
      `select id, tenant_id, metadata from notifications where id > $1 order by id limit ${pageSize}`,
      [after],
    )
    const plain = page.filter(({ metadata }) => metadata !== null)
    await seal(db, keyRing, plain)
    count += plain.length
    if (page.length < pageSize) break
    after = page.at(-1)!.id
  }
  log.info({ table: 'notifications', count }, 'metadata in the clear encrypted')
  return count
}

async function seal(db: Pick<Queries, 'run'>, keyRing: KeyRing, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return
  const sealed = rows.map(({ id, tenant_id, metadata }) => sealMetadata(keyRing, metadata!, tenant_id, id))
  await db.run(
    // Locked in the order in which the service's own statements lock.
    `with sealed as (select * from unnest($1::text[], $2::bytea[]) as t (id, value)),
     locked as (select id from notifications where id = any($1) order by id for update)
     update notifications n set sealed_metadata = sealed.value, metadata = null
     from sealed join locked using (id) where n.id = sealed.id and n.sealed_metadata is null`,
    [rows.map(({ id }) => id), sealed],
  )
}
