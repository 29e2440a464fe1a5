import type { DueLetter, FailedTry } from '@notify/messaging'
import { column } from '../columns.ts'
import type { Queries } from '../open.ts'
import { defineStatement } from '../statement.ts'

export const firstWaitSeconds = 5
const longestWaitSeconds = 60

/** The delay doubles with each try. */
const nextTry = `now() + make_interval(secs => least(${longestWaitSeconds}, ${firstWaitSeconds} * 2 ^ least(tries - 1, 10)))`

/** Age is fatal only for unreadable events: a database outage of a day is no reason to give up an event. */
const note = defineStatement({
  name: 'note-failed-letter',
  isPrepared: false,
  text: `
    with tried as (
      select id, $2 = 'permanent' or $2 = 'unreadable' and (state = 'replaying' or retry_until <= now()) as dead
      from dead_letters where id = $1 and state in ('waiting', 'replaying') for update)
    update dead_letters letter
    set state = case when dead then 'dead' else state end, reason = $3, updated_at = now(),
      next_try_at = case when not dead then ${nextTry} end
    from tried where letter.id = tried.id
    returning dead`,
  columns: { dead: column.boolean() },
})

/** Notes a failed try of a letter. @returns whether it waits for another one */
export async function noteFailed(
  { run }: Queries,
  { id }: DueLetter,
  kind: FailedTry,
  reason: string,
): Promise<'waiting' | 'dead'> {
  const [after] = await run(note, [id, kind, reason])
  return after?.dead ? 'dead' : 'waiting'
}
