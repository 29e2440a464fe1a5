import type { Queries, Run } from '../open.ts'

/** Rows per round. */
const pageSize = 1000
/** Limit of republished messages waiting for the relay; new messages queue behind no more than these. */
const mostWaiting = 1000

const beginning = '00000000-0000-0000-0000-000000000000'

interface Loss {
  looked_up_to: string | null
  republished: number
}

/** The messages that a stream may have lost: those above a sequence, and those published after a time. */
export interface PossibleLoss {
  last_seq: number
  published_after: Date
  /** Whether sequences above `last_seq` were used before; otherwise only the time determines the loss. */
  isRewound: boolean
}

/** Records a possible loss. A loss during the repair of an earlier one restarts it with the union of both. */
export async function noteLoss(
  run: Run,
  stream: string,
  { last_seq, published_after, isRewound }: PossibleLoss,
): Promise<void> {
  const lookFrom = isRewound ? null : await lastBefore(run, published_after)
  await run(
    `insert into stream_losses as known (stream, noticed_at, last_seq, published_after, looked_up_to)
     values ($1, clock_timestamp(), $2, $3, $4)
     on conflict (stream) do update
       set noticed_at = clock_timestamp(), republished = 0, made_up_at = null,
           looked_up_to = case when known.made_up_at is not null then $4 end,
           last_seq = case when known.made_up_at is null then least(known.last_seq, $2) else $2 end,
           published_after = case when known.made_up_at is null then least(known.published_after, $3) else $3 end`,
    [stream, last_seq, published_after, lookFrom],
  )
}

/**
 * The last row before those published after a time or being published now. `offset 0` keeps Postgres from scanning the
 * outbox in id order.
 */
async function lastBefore(run: Run, moment: Date): Promise<string | null> {
  const [found] = await run<{ id: string }>(
    `with candidate as (
       (select id from (select id from outbox where published_at > $1 offset 0) as late order by id limit 1)
       union all
       (select id from outbox where published_at is null order by id limit 1))
     select outbox.id from outbox where id < (select id from candidate order by id limit 1) order by id desc limit 1`,
    [moment],
  )
  return found?.id ?? null
}

/** The result of a round of {@link republishLost}. */
export interface Round {
  /** What is left: nothing, more rows, or more rows once the relay has published those that wait. */
  left: 'nothing' | 'rows' | 'rows once published'
  /** Number of republished messages, set by the last round. */
  republished?: number
}

/**
 * Marks lost messages of the next outbox page as unpublished. Each page is a short transaction that records its
 * position, so that the repair continues after a crash.
 */
export function republishLost(db: Queries, stream: string): Promise<Round> {
  return db.transaction(async (run) => {
    const [loss] = await run<Loss>(
      `select looked_up_to, republished from stream_losses
       where stream = $1 and made_up_at is null for update skip locked`,
      [stream],
    )
    if (!loss) return { left: 'nothing' }
    if (await isBusy(run)) return { left: 'rows once published' }
    const { id, looked, again } = await republishPage(run, stream, loss.looked_up_to ?? beginning)
    const ended = looked < pageSize
    await run(
      `update stream_losses set looked_up_to = coalesce($2, looked_up_to), republished = republished + $3,
         made_up_at = case when $4 then now() end
       where stream = $1`,
      [stream, id, again, ended],
    )
    return ended ? { left: 'nothing', republished: loss.republished + again } : { left: 'rows' }
  })
}

async function isBusy(run: Run): Promise<boolean> {
  const waiting = await run(`select 1 from outbox where published_at is null and publications > 0 limit ${mostWaiting}`)
  return waiting.length === mostWaiting
}

interface Page {
  /** The id of the last row. */
  id: string | null
  looked: number
  again: number
}

/**
 * Ids sort by time, so a page is an index range. It is locked first, to wait for a relay that published before the loss
 * and has not marked its rows yet.
 */
async function republishPage(run: Run, stream: string, after: string): Promise<Page> {
  const [page] = await run<Page>(
    `with page as (
       select id, subject, published_at, published_seq from outbox where id > $2 order by id limit ${pageSize} for update),
     again as (
       update outbox set published_at = null, published_seq = null
       from page, stream_losses loss
       where outbox.id = page.id and loss.stream = $1 and page.published_at <= noticed_at
         and (page.published_seq > last_seq or page.published_at > published_after)
       returning 1)
     select (select id from page order by id desc limit 1) as id, (select count(*)::int from page) as looked,
       (select count(*)::int from again) as again`,
    [stream, after],
  )
  return page!
}
