import { column, defineStatement, type Queries, type Restored } from '@notify/database'
import { lastPage, pageOf, valuesOf, waiting } from './settle-restored.ts'

/** Rows read by one statement. */
const pageSize = 5000

interface Group {
  lane: string
  channel: string
  tenant_id: string
  status: string
  count: number
  /** Unix time in milliseconds, as the next. */
  oldest: number
  newest: number
}

const msOf = (of: 'min' | 'max') => `(extract(epoch from ${of}(created_at)) * 1000)::float8`

const countPage = defineStatement({
  name: 'count-restored',
  isPrepared: false,
  text: `
    with ${pageOf(pageSize)}, groups as (
      select lane, channel, tenant_id, status, count(*)::int as count, ${msOf('min')} as oldest, ${msOf('max')} as newest
      from (${waiting}) as waiting group by 1, 2, 3, 4
    )
    select ${lastPage}, (select coalesce(json_agg(groups), '[]') from groups) as groups`,
  columns: { last: column.id('notif').nullable(), groups: column.json<Group[]>() },
})

/** Counts what waits and may have been sent already, by lane, channel and tenant. */
export async function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  const found = new Map<string, Group>()
  for (let after: string | null = ''; after !== null; ) {
    const [page]: { last: string | null; groups: Group[] }[] = await db.runLong(countPage, [
      ...valuesOf(restored),
      after,
    ])
    for (const group of page!.groups) {
      const key = [group.lane, group.channel, group.tenant_id, group.status].join(' ')
      const same = found.get(key)
      found.set(key, same ? joined(same, group) : group)
    }
    after = page!.last
  }
  return [...found.keys()].toSorted().map((key) => {
    const { oldest, newest, ...group } = found.get(key)!
    return { ...group, oldest: new Date(oldest), newest: new Date(newest) }
  })
}

const joined = (one: Group, other: Group): Group => ({
  ...one,
  count: one.count + other.count,
  oldest: Math.min(one.oldest, other.oldest),
  newest: Math.max(one.newest, other.newest),
})
