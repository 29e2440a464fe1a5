import { type compareNotifications as contract, gatewayItself, type NotificationFact } from '@notify/contracts'
import { column, defineStatement, pick, type Queries } from '@notify/database'
import { type Handler, Problem, principalHeader } from '@notify/service-kit'
import type { z } from 'zod'
import type { Context } from '../../context.ts'
import { tables } from '../../db/schema.ts'
import { factSql } from '../facts/fact-sql.ts'

const mostFacts = 500
/** Of the notifications in a range, few may be of the lanes, or changed. */
const mostExamined = 5000

const findEnd = defineStatement({
  name: 'find-end-of-comparison',
  text: `select id from notifications where id > $1 and id <= $2 order by id offset ${mostExamined - 1} limit 1`,
  columns: pick(tables.notifications, 'id'),
})

const compare = defineStatement({
  name: 'compare-notifications',
  text: `
    select ${factSql()} as fact from notifications
    where id > $1 and id <= $2 and updated_at < now() - make_interval(secs => $3)
      and lane = any ($5) and revision > coalesce(($4::jsonb ->> id)::int, 0)
    order by id limit ${mostFacts}`,
  columns: { fact: column.json<NotificationFact>() },
})

/** Returns the facts of a range that the gateway lacks, of all tenants, so only the gateway may call it. */
export const compareNotifications: Handler<Context, typeof contract> = async ({ db, secrets }, { body, headers }) => {
  const token = headers[principalHeader]
  const caller = await secrets.verifyPrincipal(typeof token === 'string' ? token : undefined)
  if (caller.kind !== 'operator' || caller.tenant_id !== gatewayItself.tenant_id)
    throw new Problem('permission_denied', 'Only the gateway may call this route')
  return compareRange(db, body)
}

/** @returns the facts, and the end of the range that was compared */
export async function compareRange(
  { run }: Pick<Queries, 'run'>,
  { after, until, quiet_seconds, lanes, known }: z.infer<typeof contract.body>,
) {
  const [last] = await run(findEnd, [after, until])
  const end = last?.id ?? until
  const rows = await run(compare, [after, end, quiet_seconds, JSON.stringify(known), lanes])
  const facts = rows.map(({ fact }) => fact)
  return { facts, reached: facts.length === mostFacts ? facts.at(-1)!.notification_id : end }
}
