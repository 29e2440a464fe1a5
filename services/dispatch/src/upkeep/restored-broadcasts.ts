import { defineStatement, pick, type Queries, type Restored } from '@notify/database'
import { tables } from '../db/schema.ts'
import { valuesOf } from './settle-restored.ts'

/** Changed since: an operator has resumed it after an earlier run. Members wait in the lane `bulk`. */
const restored = `status in ('running', 'paused') and status = 'running' and updated_at <= $1::timestamptz
  and ($2::timestamptz is null or created_at < $2::timestamptz) and ($3::text is null or tenant_id = $3)
  and ($4::text is null or $4 = 'bulk') and ($5::text is null or channel = $5)`

const list = defineStatement({
  name: 'list-restored-broadcasts',
  isPrepared: false,
  text: `select id as broadcast_id, tenant_id, channel, accepted, total, created_at from broadcasts where ${restored} order by id`,
  columns: {
    broadcast_id: tables.broadcasts.id,
    ...pick(tables.broadcasts, 'tenant_id', 'channel', 'accepted', 'total', 'created_at'),
  },
})

const pause = defineStatement({
  name: 'pause-restored-broadcasts',
  isPrepared: false,
  text: `update broadcasts set status = 'paused', next_page_at = null, updated_at = date_trunc('milliseconds', now())
    where ${restored} returning id`,
  columns: pick(tables.broadcasts, 'id'),
})

/** The running broadcasts that a backup brought back: it does not have the members who were accepted since. */
export const listRestoredBroadcasts = (db: Queries, given: Restored): Promise<object[]> =>
  db.runLong(list, valuesOf(given))

/** Pauses them. @returns how many there were */
export async function pauseRestoredBroadcasts(db: Queries, given: Restored): Promise<number> {
  return (await db.runLong(pause, valuesOf(given))).length
}
