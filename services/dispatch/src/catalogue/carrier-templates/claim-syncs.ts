import { claimDueSql, column, defineStatement, pick, type RowOf, type Run } from '@notify/database'
import { tables } from '../../db/schema.ts'

const columns = {
  ...pick(tables.providers, 'tenant_id', 'kind', 'credentials'),
  provider_id: column.id('prov'),
  /** The start of the synchronisation, by the clock of Postgres. */
  started_at: column.timestamp(),
  /** Postgres' own text, exact to the microsecond: another value means that the account was asked for again meanwhile. */
  leased_until: column.text(),
}

/** An account whose synchronisation is due. */
export type DueSync = RowOf<typeof columns>

/** A carrier that hangs holds up a few accounts of one tenant. */
const fair = { by: 'tenant_id', most: 3, inHand: '$3::text[]' }
const due = { table: 'carrier_template_syncs', key: ['provider_id'], due: 'next_sync_at', fair }

const claim = defineStatement({
  name: 'claim-template-syncs',
  text: `${claimDueSql(due, { limit: '$1', leaseMs: '$2' })}
    select provider_id, p.tenant_id, p.kind, p.credentials, clock_timestamp() as started_at, next_sync_at::text as leased_until
    from claimed join providers p on p.id = claimed.provider_id`,
  columns,
})

/** Claims accounts whose synchronisation is due, with a lease; `most` with those in hand. */
export async function claimSyncs(
  run: Run,
  most: number,
  leaseMs: number,
  inHand: readonly Pick<DueSync, 'tenant_id'>[] = [],
): Promise<DueSync[]> {
  if (inHand.length >= most) return []
  return run(claim, [most - inHand.length, leaseMs, inHand.map(({ tenant_id }) => tenant_id)])
}
