import type { Id } from '@notify/contracts'
import { column, defineStatement, dueOwnersSql, pick, type RowOf, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build, tables } from '../../db/schema.ts'

/** A claim of a worker that died ends after it. */
const leaseMs = 30_000
/** How long an event waits for one that has not arrived; longer than a killed process keeps unacknowledged messages. */
const longestWaitMs = 20_000
/** Tenants of one claim, and the events of each that it looks at. */
const mostTenants = 8
const mostEvents = 64

/** An event whose deliveries are stored later. */
export type NewFanOut = Pick<RowOf<typeof tables.fan_outs>, 'id' | 'tenant_id' | 'weight' | 'event' | 'recipient_index'>

/** Stores events, each once. */
export async function insertFanOuts(run: Run, rows: readonly NewFanOut[]): Promise<void> {
  const inOrder = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await run(
    build
      .insertInto('fan_outs')
      .values(inOrder)
      .onConflict((known) => known.column('id').doNothing()),
  )
}

const owners = { table: 'fan_outs', owner: ['tenant_id'], due: 'next_at' }

const claim = defineStatement({
  name: 'claim-fan-outs',
  text: `
    with chosen as (
      select tenant_id from (${dueOwnersSql(owners, mostTenants)}) as o limit ${mostTenants}
    ), due as (
      select mine.id, sum(mine.weight) over (partition by mine.tenant_id order by mine.next_at, mine.id) - mine.weight as before
      from chosen cross join lateral (
        select * from fan_outs f where f.tenant_id = chosen.tenant_id and f.next_at <= now()
        order by f.next_at limit ${mostEvents} for update skip locked) as mine
    )
    update fan_outs f set next_at = now() + ${leaseMs} * interval '1 millisecond'
    from due where f.id = due.id and due.before < $1
    returning f.id, f.tenant_id, f.event, f.created_at < now() - ${longestWaitMs} * interval '1 millisecond' as is_late`,
  columns: { ...pick(tables.fan_outs, 'id', 'tenant_id', 'event'), is_late: column.boolean() },
})

/** `is_late`: it has waited for as long as any may for an event that has not arrived. */
export type ClaimedFanOut = Awaited<ReturnType<typeof claimFanOuts>>[number]

/** Claims the oldest events of several tenants. @param most deliveries of a tenant, which its last event may exceed */
export function claimFanOuts(run: Run, most: number) {
  return run(claim, [most])
}

/** Deletes events whose deliveries are stored. */
export async function deleteFanOuts(run: Run, ids: readonly string[]): Promise<void> {
  await run(build.deleteFrom('fan_outs').where('id', '=', sql<string>`any(${[...ids]})`))
}

/** Looks at claimed events again after a wait: the longer they have waited, the more rarely. */
export async function delayFanOuts(run: Run, ids: readonly string[]): Promise<void> {
  const next_at = sql<Date>`now() + least(interval '10 seconds', greatest(interval '250 milliseconds', (now() - created_at) / 2))`
  await run(
    build
      .updateTable('fan_outs')
      .set({ next_at })
      .where('id', '=', sql<string>`any(${[...ids]})`),
  )
}

/** The events of a person that wait. */
export async function countFanOutsOf(run: Run, tenantId: Id<'ten'>, recipientIndex: string): Promise<number> {
  const [row] = await run(
    build
      .selectFrom('fan_outs')
      .select((all) => all.fn.countAll().$castTo<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('recipient_index', '=', recipientIndex),
  )
  return Number(row!.count)
}
