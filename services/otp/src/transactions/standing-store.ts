import { cast, column, prepared, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import type { Try } from './try-codes.ts'

type Named = Pick<Try, 'id' | 'application_id' | 'mode'>

const explain = prepared('explain-refused-try', ({ id, application_id, mode }: Named) =>
  build
    .selectFrom('transactions')
    .select(['verified_at', cast(column.boolean(), sql`expires_at <= now()`).as('is_expired'), 'attempts'])
    .where('id', '=', id)
    .where('application_id', '=', application_id)
    .where('mode', '=', mode)
    .where('code_proof', 'is not', null),
)

/** The fields that explain why a try was refused. */
export type Standing = NonNullable<Awaited<ReturnType<typeof standingOf>>>

/** Reads why a try was refused. @returns undefined when the caller has no transaction with the id */
export async function standingOf(run: Run, { id, application_id, mode }: Named) {
  const [found] = await run(explain({ id, application_id, mode }))
  return found
}
