import { sql } from 'kysely'
import type { Queries, Run } from '../open.ts'
import { build } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'
import { lastBefore } from './last-before.ts'
import { republishedAtOnce, republishPage } from './republish-page.ts'

/** Limit of republished messages waiting for the relay; new messages queue behind no more than these. */
const mostWaiting = 1000

const beginning = '00000000-0000-0000-0000-000000000000'

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
  await run(note, [stream, last_seq, published_after, lookFrom])
}

const note = defineStatement({
  name: 'note-loss',
  isPrepared: false,
  text: `
    insert into stream_losses as known (stream, noticed_at, last_seq, published_after, looked_up_to)
    values ($1, clock_timestamp(), $2, $3, $4)
    on conflict (stream) do update
      set noticed_at = clock_timestamp(), republished = 0, repaired_at = null,
          looked_up_to = case when known.repaired_at is not null then $4 end,
          last_seq = case when known.repaired_at is null then least(known.last_seq, $2) else $2 end,
          published_after = case when known.repaired_at is null then least(known.published_after, $3) else $3 end`,
})

/** The result of a round of {@link republishLost}. */
export interface Round {
  /** The remaining work: nothing, more rows, or more rows once the relay has published the waiting ones. */
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
    const [loss] = await run(
      build
        .selectFrom('stream_losses')
        .select(['looked_up_to', 'republished'])
        .where('stream', '=', stream)
        .where('repaired_at', 'is', null)
        .forUpdate()
        .skipLocked(),
    )
    if (!loss) return { left: 'nothing' }
    if (await isBusy(run)) return { left: 'rows once published' }
    const { id, looked, again } = await republishPage(run, stream, loss.looked_up_to ?? beginning)
    const ended = looked < republishedAtOnce
    const republished = loss.republished + again
    const position = id === null ? {} : { looked_up_to: id }
    const end = ended ? { repaired_at: sql<Date>`now()` } : {}
    await run(
      build
        .updateTable('stream_losses')
        .set({ ...position, ...end, republished })
        .where('stream', '=', stream),
    )
    return ended ? { left: 'nothing', republished } : { left: 'rows' }
  })
}

async function isBusy(run: Run): Promise<boolean> {
  const waiting = build
    .selectFrom('outbox')
    .select('id')
    .where('published_at', 'is', null)
    .where('publications', '>', 0)
  return (await run(waiting.limit(mostWaiting))).length === mostWaiting
}
