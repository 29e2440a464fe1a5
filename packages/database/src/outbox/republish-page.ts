import { column } from '../columns.ts'
import type { Run } from '../open.ts'
import { defineStatement } from '../statement.ts'

/** Rows per round. */
export const republishedAtOnce = 1000

const republish = defineStatement({
  name: 'republish-page',
  isPrepared: false,
  text: `
    with page as (
      select id, subject, published_at, published_seq from outbox where id > $2 order by id limit ${republishedAtOnce} for update),
    again as (
      update outbox set published_at = null, published_seq = null
      from page, stream_losses loss
      where outbox.id = page.id and loss.stream = $1 and page.published_at <= noticed_at
        and (page.published_seq > last_seq or page.published_at > published_after)
      returning 1)
    select (select id from page order by id desc limit 1) as id, (select count(*)::int from page) as looked,
      (select count(*)::int from again) as again`,
  columns: { id: column.uuid().nullable(), looked: column.integer(), again: column.integer() },
})

/**
 * Ids sort by time, so a page is an index range. Locks it first, to wait for a relay that published its rows before the loss
 * and has not marked them yet.
 * @returns the id of the last row, and how many rows were read and marked as unpublished
 */
export async function republishPage(run: Run, stream: string, after: string) {
  const [page] = await run(republish, [stream, after])
  return page!
}
