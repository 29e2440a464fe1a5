import type { AcceptItem, ItemResult } from '@notify/contracts'
import { type Lines, takeTurns } from '@notify/database'
import {
  addLogFields,
  afterNextPoll,
  coalesce,
  isTraceparent,
  Problem,
  type Span,
  withLogFields,
} from '@notify/service-kit'
import type { Channels } from '../channels/channel.ts'
import { takeRoom } from '../channels/file-room.ts'
import {
  type AcceptContext,
  type AcceptOutcome,
  type Candidate,
  identityOf,
  isKnownById,
  type Kind,
  kindOf,
  kinds,
  type NewNotification,
  refusalOf,
} from './accept-item.ts'
import { commitJudged, type WithLockWatch } from './commit-judged.ts'
import { findCommitted, findReplays } from './find-known.ts'
import { judgeCandidate } from './judge-candidate.ts'

type Needs = AcceptContext & WithLockWatch

const maxBatch = 256
/**
 * Commits in progress, of each kind of statement its own: those with files are slow, and those that lock rows may wait. One at a
 * time goes to inboxes or digests, because a second one would find those of the first one locked.
 */
const commitsInFlight: Record<Kind, number> = { '': 3, '-ordered': 1, '-parts': 2, '-digest': 1 }
/** How long a request waits for one with the same key. Short enough that its caller still gets the answer. */
const longestWaitMs = 3000

/** Whose slots a request takes: copies without files are committed as fast as what has none. */
function slotsOf(channels: Channels, verdict: NewNotification | Problem): Kind {
  if (verdict instanceof Problem) return ''
  const kind = kindOf(channels, verdict)
  return kind === '-parts' && !verdict.files ? '' : kind
}

/** The result of a try: undefined while another request holds the key, `locked` while another transaction holds the inbox or digest. */
type Settled = AcceptOutcome | 'locked' | undefined

const lockedTooLong = () =>
  new Problem('service_unavailable', 'Another message to the recipient is being accepted; try again shortly', {
    headers: { 'Retry-After': '1' },
  })

/** A request with its verdict: what may be committed, or the refusal. */
interface Judged {
  candidate: Candidate
  verdict: NewNotification | Problem
}

/**
 * Accepts one item of a call; never rejects.
 * @param read parses the item into a request; throws a Problem for an invalid one
 */
export type AcceptOne = (
  item: Pick<AcceptItem, 'notification_id' | 'traceparent' | 'request_id'>,
  read: (traceparent: string | undefined) => Candidate,
) => Promise<ItemResult>

export interface WithAcceptOne {
  acceptOne: AcceptOne
}

/**
 * The steps of each request from its call to its commit: read and judge it alone, so that a slow template delays no other;
 * wait for earlier requests with its key; settle it in one batch with all requests of the same moment.
 */
export function createAcceptOne(context: Needs): AcceptOne {
  const lines: Lines = new Map()
  const settleIn = (kind: Kind) =>
    coalesce<Judged, Settled>({
      maxBatch,
      maxInFlight: commitsInFlight[kind],
      run: (batch) => settleBatch(context, batch),
    })
  const settle = new Map(kinds.map((kind) => [kind, settleIn(kind)]))
  const judgeAndSettle = async (candidate: Candidate): Promise<AcceptOutcome> => {
    const verdict = await judgeCandidate(context, candidate).catch(refusalOf)
    let settled: Settled
    const work = async () => {
      settled = undefined
      settled = await settle.get(slotsOf(context.channels, verdict))!({ candidate, verdict })
      return settled === 'locked' ? undefined : settled
    }
    return takeTurns(lines, identityOf(candidate), longestWaitMs, work).catch((error) => {
      throw settled === 'locked' ? lockedTooLong() : error
    })
  }
  const accept = async (candidate: Candidate): Promise<AcceptOutcome> => {
    if (!candidate.request.attachments?.length) return judgeAndSettle(candidate)
    // The files stay in memory, as given and encrypted, until they are committed.
    const leave = await takeRoom(context.fileRoom, candidate.principal.tenant_id)
    return judgeAndSettle(candidate).finally(leave)
  }
  return (item, read) =>
    observed(context, item, (span) => {
      const candidate = read(span.traceparent)
      addLogFields({ tenant_id: candidate.principal.tenant_id })
      return accept(candidate)
    })
}

/**
 * Settles requests of different keys and ids together; each is answered or refused alone.
 * @returns outcomes in the order of the batch
 */
async function settleBatch(context: Needs, batch: readonly Judged[]): Promise<Settled[]> {
  const candidates = batch.map(({ candidate }) => candidate)
  const outcomes: Map<Candidate, AcceptOutcome | 'locked'> = await findReplays(context.db.run, candidates)
  const left = batch.filter(({ candidate }) => !outcomes.has(candidate))
  for (const { candidate, verdict } of left) if (verdict instanceof Problem) outcomes.set(candidate, verdict)
  const fresh = left.flatMap(({ verdict }) => (verdict instanceof Problem ? [] : [verdict]))
  const known: Candidate[] = []
  for (const [at, outcome] of (await commitFresh(context, fresh)).entries()) {
    const { candidate, response } = fresh[at]!
    if (outcome === 'held') continue
    if (outcome === 'committed' && candidate.terms) known.push(candidate)
    // A committed id of the gateway's is this same request, repeated after a lost answer.
    else outcomes.set(candidate, outcome === 'committed' ? { body: response } : outcome)
  }
  // A repetition gets its first answer, whatever has changed since. A committed one is not charged again.
  known.push(...candidates.filter((one) => isKnownById(one) && outcomes.get(one) instanceof Problem))
  for (const [candidate, outcome] of await findCommitted(context.db.run, known)) outcomes.set(candidate, outcome)
  return candidates.map((candidate) => outcomes.get(candidate))
}

/** Commits notifications whose callers still wait, as soon as a connection is free. */
async function commitFresh({ db, ...context }: Needs, fresh: readonly NewNotification[]) {
  if (fresh.length === 0) return []
  const committed = db.withConnection(async (run) => {
    await afterNextPoll()
    // Outside of a transaction, so that a failed commit stays visible to the repetition.
    return commitJudged(context, fresh, (work) => work(run), { waits: false })
  })
  return committed.catch((error) => fresh.map(() => refusalOf(error)))
}

/** Runs the work of an item in its span and with its log fields. */
function observed(
  { tracer, metrics, log }: Needs,
  { notification_id, request_id, traceparent }: Parameters<AcceptOne>[0],
  work: (span: Span) => Promise<AcceptOutcome>,
): Promise<ItemResult> {
  const span = tracer.start('accept notification', {
    parent: isTraceparent(traceparent) ? traceparent : undefined,
    attributes: { 'notification.id': notification_id },
  })
  return withLogFields({ notification_id, request_id, traceparent: span.traceparent }, async () => {
    try {
      const outcome = await work(span)
      if (outcome instanceof Problem) throw outcome
      log.debug('committed')
      span.end()
      return outcome
    } catch (error) {
      const problem = refusalOf(error)
      metrics.refused(problem.code)
      if (problem.status >= 500) log.error({ err: error }, 'a dispatch request failed')
      span.end(problem)
      return { problem: problem.toBody(), ...(problem.mayHaveTakenEffect && { may_have_taken_effect: true as const }) }
    }
  })
}
