import type { Queries, Run } from '../open.ts'

/** Rows looked at in one round. */
const pageSize = 1000
/** So many messages of ours may wait for the relay before more are added: what is new waits behind no more than these. */
const mostWaiting = 1000

const beginning = '00000000-0000-0000-0000-000000000000'

interface Loss {
  looked_up_to: string | null
  republished: number
}

/** What a stream may have forgotten: all above a sequence, and all that was published after a moment. */
export interface PossibleLoss {
  last_seq: number
  published_after: Date
  /** Whether sequences above `last_seq` were given out before; otherwise only the time tells what may be lost. */
  isRewound: boolean
}

/**
 * Notes that a stream may have forgotten what was published to it. A loss that comes before the last one was made up for
 * begins anew with what both may have cost.
 */
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
 * The last row before all that were published after a moment, or are being published now. "Offset 0" keeps Postgres from
 * walking through the whole outbox in the order of ids.
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

/** How a round of {@link makeUpLoss} ended. */
export interface Round {
  /** Whether another round is to follow at once. */
  more: boolean
  /** Set by the round that came to the end: messages that are published again. */
  republished?: number
}

/**
 * Looks through the next page of the outbox for what a stream has forgotten, and makes it unpublished again. Each page is a
 * short transaction that also notes how far it came: whoever goes on, after a crash too, goes on from there.
 * @param staleSubjects beginning of the subjects that are not published again
 */
export function makeUpLoss(db: Queries, stream: string, staleSubjects: string | undefined): Promise<Round> {
  return db.transaction(async (run) => {
    const [loss] = await run<Loss>(
      `select looked_up_to, republished from stream_losses
       where stream = $1 and made_up_at is null for update skip locked`,
      [stream],
    )
    if (!loss || (await isBusy(run))) return { more: false }
    const { id, looked, again } = await republishPage(run, stream, loss.looked_up_to ?? beginning, staleSubjects)
    const ended = looked < pageSize
    await run(
      `update stream_losses set looked_up_to = coalesce($2, looked_up_to), republished = republished + $3,
         made_up_at = case when $4 then now() end
       where stream = $1`,
      [stream, id, again, ended],
    )
    return ended ? { more: false, republished: loss.republished + again } : { more: true }
  })
}

async function isBusy(run: Run): Promise<boolean> {
  const waiting = await run(`select 1 from outbox where published_at is null and publications > 0 limit ${mostWaiting}`)
  return waiting.length === mostWaiting
}

interface Page {
  /** The last row's. */
  id: string | null
  looked: number
  again: number
}

/**
 * Ids are in the order of time, so a page is a piece of the index, wherever the cursor stands. It is locked first: a relay that
 * has published before the loss, and marks after it, is waited for.
 */
async function republishPage(
  run: Run,
  stream: string,
  after: string,
  staleSubjects: string | undefined,
): Promise<Page> {
  const [page] = await run<Page>(
    `with page as (
       select id, subject, published_at, published_seq from outbox where id > $2 order by id limit ${pageSize} for update),
     again as (
       update outbox set published_at = null, published_seq = null
       from page, stream_losses loss
       where outbox.id = page.id and loss.stream = $1 and page.published_at <= noticed_at
         and (page.published_seq > last_seq or page.published_at > published_after)
         and ($3::text is null or not starts_with(page.subject, $3))
       returning 1)
     select (select id from page order by id desc limit 1) as id, (select count(*)::int from page) as looked,
       (select count(*)::int from again) as again`,
    [stream, after, staleSubjects ?? null],
  )
  return page!
}
