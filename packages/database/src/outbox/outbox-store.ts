import { sql } from 'kysely'
import { cast } from '../cast.ts'
import { column } from '../columns.ts'
import type { Run } from '../open.ts'
import { prepared } from '../query.ts'
import { build } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'
import { mostBytes } from './claim-unpublished.ts'

const unpublished = build.selectFrom('outbox').where('published_at', 'is', null)
const look = prepared('look-outbox', () => unpublished.select('id').limit(1))

/**
 * Whether any message is unpublished, including those that another relay has locked. Cheaper than a claim that finds
 * nothing.
 */
export async function hasUnpublished(run: Run): Promise<boolean> {
  return (await run(look({}))).length > 0
}

const age = cast(column.double(), sql`extract(epoch from now() - created_at)`).as('age')

/** Age of the oldest unpublished message, in seconds; 0 if there is none. */
export async function oldestUnpublishedSeconds(run: Run): Promise<number> {
  const [oldest] = await run(unpublished.select(age).orderBy('id').limit(1))
  return oldest?.age ?? 0
}

const oldestPublishable = defineStatement({
  name: 'oldest-publishable',
  text: `select extract(epoch from now() - created_at)::float8 as age from outbox
         where published_at is null and id >= (select uuidv7(interval '-1 day'))
           and octet_length(events) <= ${mostBytes} order by id limit 1`,
  columns: { age: column.double() },
})

/**
 * Age of the oldest message that a relay may still publish, in seconds; 0 if there is none. One that NATS has refused for
 * a day does not count, nor one that is too large: it may never be published.
 */
export async function oldestPublishableSeconds(run: Run): Promise<number> {
  const [oldest] = await run(oldestPublishable)
  return oldest?.age ?? 0
}

/** Uses no join with the arrays, for which a plan made while the outbox was small could later scan all of it. */
const mark = defineStatement({
  name: 'mark-outbox',
  text: `update outbox set published_at = now(), publications = publications + 1,
           published_seq = ($2::bigint[])[array_position($1::uuid[], id)]
         where id = any($1::uuid[])`,
})

/** Records the sequence that the stream gave to each message. */
export async function markPublished(run: Run, messages: readonly { id: string; seq: number }[]): Promise<void> {
  if (messages.length > 0) await run(mark, [messages.map(({ id }) => id), messages.map(({ seq }) => seq)])
}
