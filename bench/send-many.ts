import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { doMany } from './json-client.ts'

const longestMs = 300_000

interface Sending {
  count: number
  callers: number
  send(n: number): Promise<unknown>
}

/** Sends so many messages, and waits until none is in flight. */
export async function sendMany(database: pg.Pool, { count, callers, send }: Sending): Promise<void> {
  await doMany(count, callers, send)
  const untilMs = performance.now() + longestMs
  for (;;) {
    const { rows } = await database.query(
      `select (select count(*) from dispatch.notifications where status in ('queued', 'sent'))
            + (select count(*) from dispatch.outbox where published_at is null) as open`,
    )
    if (Number(rows[0].open) === 0) break
    if (performance.now() > untilMs) throw new Error(`${rows[0].open} messages are still in flight`)
    await delay(250)
  }
  // For the last facts to reach the activity, usage and the tables of callbacks.
  await delay(2000)
}
