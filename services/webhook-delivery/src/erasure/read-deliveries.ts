import { defineStatement, type Person, pick, type Queries, type RowOf } from '@notify/database'
import { tables } from '../db/schema.ts'
import { erasedReason } from './store-erased.ts'

/** Rows of all tenants that a statement reads. */
const pageSize = 1000

const columns = pick(tables.deliveries, 'id', 'tenant_id', 'url', 'body', 'recipient_index')

export type StoredDelivery = RowOf<typeof columns>

export interface DeliveryPage {
  /** The id of the last row that was read; null after the end of the table. */
  last: string | null
  deliveries: StoredDelivery[]
}

const read = defineStatement({
  name: 'read-deliveries-of-person',
  isPrepared: false,
  text: `
    with page as (
      select id, tenant_id = $1 and (recipient_index = $2 or url is not null and last_error is distinct from '${erasedReason}') as may_be
      from deliveries where id > $3 order by id limit ${pageSize}
    )
    select last.id as last, d.id, d.tenant_id, d.url, d.recipient_index,
      case when d.url is null then d.body else ''::bytea end as body
    from (select id from page order by id desc limit 1) as last
    left join deliveries d on d.id = any(array(select id from page where may_be)) order by d.id`,
  columns: {
    last: columns.id,
    ...{ id: columns.id.nullable(), tenant_id: columns.tenant_id.nullable(), url: columns.url },
    ...{ body: columns.body.nullable(), recipient_index: columns.recipient_index },
  },
})

/**
 * The deliveries of a page that may be the person's: those with the index, and, without their bodies, those to any address of
 * the tenant. A page is a fixed number of rows of the primary key, so that no statement scans far for a rare match.
 */
export async function readDeliveries(db: Queries, { tenantId, index }: Person, after: string): Promise<DeliveryPage> {
  const rows = await db.runLong(read, [tenantId, index, after])
  const deliveries = rows.flatMap(({ last: _, id, tenant_id, body, ...row }) =>
    id === null || tenant_id === null || body === null ? [] : [{ id, tenant_id, body, ...row }],
  )
  return { last: rows[0]?.last ?? null, deliveries }
}
