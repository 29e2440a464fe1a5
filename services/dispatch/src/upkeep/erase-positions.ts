import { column, defineStatement, type Person, type Queries } from '@notify/database'
import { theirUsers } from './members-of-person.ts'

/** A position is the id of a member: list and index of the user. */
const areTheirs = `b.tenant_id = $1 and b.reached in (select b.list_id || '.' || user_index from (${theirUsers}) as users)`

const count = defineStatement({
  name: 'count-positions-of-person',
  isPrepared: false,
  text: `select count(*)::int as count from broadcasts b where ${areTheirs}`,
  columns: { count: column.integer() },
})

export const countPositions = async (db: Queries, { tenantId, index = '' }: Person): Promise<number> =>
  (await db.runLong(count, [tenantId, index]))[0]!.count

/** An open broadcast continues after the member before. */
const erase = defineStatement({
  name: 'erase-positions-of-person',
  isPrepared: false,
  text: `
    update broadcasts b set reached = case when status in ('running', 'paused') then (
      select max(m.id) from list_members m where m.list_id = b.list_id and m.id > b.list_id || '.' and m.id < b.reached) end
    where ${areTheirs} returning id`,
  columns: { id: column.id('bc') },
})

/** Runs after the members are erased, and before the users by whose addresses it finds them. @returns how many there were */
export const erasePositions = async (db: Queries, { tenantId, index = '' }: Person): Promise<number> =>
  (await db.runLong(erase, [tenantId, index])).length
