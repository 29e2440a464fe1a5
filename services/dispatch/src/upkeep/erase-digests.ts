import { column, defineStatement, type Person, type Queries } from '@notify/database'
import { theirs } from './notifications-of-person.ts'

/** Those that items may still join. */
const digests = `select d.id from digests d where d.is_open and d.id in (
      select n.digest_id from notifications n where n.id in (${theirs}) and n.status = 'scheduled')`

const count = defineStatement({
  name: 'count-digests-of-person',
  text: `select count(*)::int as count from (${digests}) as of_person`,
  columns: { count: column.integer() },
})

export const countDigests = async (db: Queries, { tenantId, index = '' }: Person): Promise<number> =>
  (await db.runLong(count, [tenantId, index]))[0]!.count

/** Nothing joins it any more. Its items are erased after this and before it is due; without items it sends nothing and is deleted. */
const stop = defineStatement({
  name: 'stop-digests-of-person',
  text: `update digests set is_open = false, due_at = now() + interval '1 minute'
    where id = any(array(${digests})) and is_open returning id`,
  columns: { id: column.id('dig') },
})

/** @returns how many digests wait for the person */
export const stopDigests = async (db: Queries, { tenantId, index = '' }: Person): Promise<number> =>
  (await db.runLong(stop, [tenantId, index])).length
