import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { doMany } from './json-client.ts'

const longestMs = 300_000

interface Sending {
  count: number
  callers: number
  send(n: number): Promise<unknown>
}

/** Sends so many messages, and waits until none is under way. */
export async function sendMany(database: pg.Pool, { count, callers, send }: Sending): Promise<void> {
  await doMany(count, callers, send)
  const untilMs = performance.now() + longestMs
  for (;;) {
    const { rows } = await database.query(
      `select (select count(*) from dispatch.notifications where status in ('queued', 'sent'))
            + (select count(*) from dispatch.outbox where published_at is null) as open`,
    )
    if (Number(rows[0].open) === 0) break
    if (performance.now() > untilMs) throw new Error(`${rows[0].open} are still under way`)
    await delay(250)
  }
  // The last facts reach the activity, usage and the callbacks' tables.
  await delay(2000)
}
