import type { Id, OperatorProfile, OperatorRecord } from '@notify/contracts'
import type { EncryptedColumn, Run } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const aad = (tenantId: string, id: string) => `operators|${tenantId}|${id}`

export const operatorColumns: readonly EncryptedColumn[] = [
  { table: 'operators', column: 'profile', key: 'id', aadFrom: ['tenant_id', 'id'], aad },
]

/** Stores the profile of an operator's latest access token. */
export async function storeOperator(
  run: Run,
  keyRing: KeyRing,
  { tenantId, id, profile }: { tenantId: Id<'ten'>; id: string; profile: OperatorProfile },
): Promise<void> {
  const sealed = keyRing.encrypt(JSON.stringify(profile), aad(tenantId, id))
  await run(
    build
      .insertInto('operators')
      .values({ tenant_id: tenantId, id, profile: sealed })
      .onConflict((known) => known.columns(['tenant_id', 'id']).doUpdateSet({ profile: sealed, seen_at: sql`now()` })),
  )
}

/** A page of a tenant's operators, by id. */
export async function listOperatorRows(
  run: Run,
  { keyRing, log }: { keyRing: KeyRing; log: Logger },
  { tenantId, after, limit }: { tenantId: Id<'ten'>; after: string | undefined; limit: number },
): Promise<OperatorRecord[]> {
  const rows = await run(
    build
      .selectFrom('operators')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '>', after ?? '')
      .orderBy('id')
      .limit(limit),
  )
  // One that cannot be decrypted concerns no other.
  const profileOf = (id: string, sealed: Buffer): OperatorProfile => {
    try {
      return JSON.parse(keyRing.decrypt(sealed, aad(tenantId, id)))
    } catch (error) {
      log.error({ err: error, operator: id }, 'an operator is listed without a name: the profile cannot be decrypted')
      return { name: null, email: null }
    }
  }
  return rows.map(({ id, profile, seen_at }) => ({
    operator_id: id,
    ...profileOf(id, profile),
    seen_at: seen_at.toISOString(),
  }))
}

/** @returns whether there was such an operator */
export async function deleteOperator(run: Run, tenantId: Id<'ten'>, id: string): Promise<boolean> {
  const deleted = await run(
    build.deleteFrom('operators').where('tenant_id', '=', tenantId).where('id', '=', id).returning('id'),
  )
  return deleted.length > 0
}
