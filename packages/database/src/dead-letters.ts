import type { DeadLetter } from '@notify/messaging'
import type { Queries } from './open.ts'

/** Keeps an event that no repetition helps, once, for an operator to look at. */
export async function keepDeadLetter(db: Queries, letter: DeadLetter): Promise<void> {
  await db.run(
    {
      name: 'keep-dead-letter',
      text: `insert into dead_letters (durable, event_id, subject, event, reason) values ($1, $2, $3, $4, $5)
             on conflict do nothing`,
    },
    [letter.durable, letter.eventId, letter.subject, letter.event, letter.reason],
  )
}
