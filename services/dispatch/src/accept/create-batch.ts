import { type BatchResult, type createNotificationBatch as contract, newId } from '@notify/contracts'
import { idempotent, inProgress, type Result, withSavepoint } from '@notify/database'
import { type Handler, type HttpRequest, Problem, Reply, requireStorable } from '@notify/service-kit'
import { type BatchRoom, createBatchRoom } from '../channels/file-room.ts'
import { type AcceptContext, type Candidate, type NewNotification, readCandidate, refusalOf } from './accept-item.ts'
import { type CommitOutcome, commitJudged, queueOf, urgencyOf, type WithLockWatch } from './commit-judged.ts'
import { judgeCandidate } from './judge-candidate.ts'

type Needs = AcceptContext & WithLockWatch & { batchRoom: BatchRoom }

type Request = HttpRequest<typeof contract>
/** What is known of one request before the commit: its answer, its refusal, or that it may be committed. */
type Judged = BatchResult | Problem | NewNotification

/** Accepts the requests of one call, each alone. */
export const createBatch: Handler<AcceptContext & WithLockWatch, typeof contract> = async (context, request) => {
  const batchRoom = createBatchRoom(context.fileRoom)
  try {
    return await accept({ ...context, batchRoom }, request)
  } finally {
    batchRoom.leave()
  }
}

/**
 * With an Idempotency-Key the whole answer is kept along with the requests; where one failed on our side, the others are kept,
 * and a repetition tries that one again.
 */
const accept: Handler<Needs, typeof contract> = idempotent({
  prepare: judgeRequests,
  async effect(context, request, run, judged) {
    const items = judged.filter(isNew)
    const committed = await commitJudged(context, items, (work) => withSavepoint(run, () => work(run)))
    const outcomes = new Map(items.map((item, at) => [item, committed[at]!]))
    const results = judged.map((one) => (isNew(one) ? resultOf(outcomes.get(one)!) : one))
    return answerOf(context, request.requestId, results)
  },
  // A job that the commit started may have run too early.
  after(context, _request, judged) {
    const items = judged.filter(isNew)
    context.wakeOutbox(urgencyOf(context.channels, items))
    context.wakeSenders(items.flatMap((one) => queueOf(context.channels, one)))
  },
})

/** @param done the results of an earlier call with this key, some of which are to be tried again */
async function judgeRequests(context: Needs, request: Request, done?: string): Promise<Judged[]> {
  context.batchRoom.leave()
  const results: (BatchResult | undefined)[] = done === undefined ? [] : JSON.parse(done).results
  const judge = async (one: unknown, at: number): Promise<Judged> => {
    const result = results[at]
    if (result && !hasFailed(result)) return result
    const candidate = tryRead(context, one, request)
    if (candidate instanceof Problem) return candidate
    const judged = () => judgeCandidate(context, candidate)
    // Files in the request are no larger than it.
    const isRead = candidate.request.attachments?.some(({ url }) => url !== undefined)
    const { tenant_id } = candidate.principal
    return (isRead ? context.batchRoom.read(tenant_id, judged) : judged()).catch(refusalOf)
  }
  return Promise.all(request.body.requests.map(judge))
}

function tryRead(context: Needs, request: unknown, { principal, span, isAwaited }: Request): Candidate | Problem {
  try {
    requireStorable(request)
    return readCandidate(context, {
      notificationId: newId('notif'),
      principal,
      request,
      traceparent: span.traceparent,
      idempotencyKey: undefined,
      isAwaited,
    })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The call's answer, final unless a request failed on our side. @throws Problem when all of them did */
function answerOf({ log, metrics }: Needs, requestId: string, results: readonly (BatchResult | Problem)[]): Result {
  const refusals = results.filter((one) => one instanceof Problem)
  const failures = refusals.filter(({ status }) => isForNow(status))
  for (const { code } of refusals) metrics.refused(code)
  for (const failure of failures.filter(({ status }) => status >= 500))
    log.error({ request_id: requestId, err: failure }, 'a request of a batch failed')
  if (failures.length === results.length) throw failures[0]
  const text = JSON.stringify({
    results: results.map((one) => (one instanceof Problem ? { error: one.toBody() } : one)),
  })
  const reply = new Reply(202, text)
  return failures.length === 0 ? reply : { reply, done: text }
}

function resultOf(outcome: CommitOutcome): BatchResult | Problem {
  // With new ids and without own keys, no request of a batch was answered before.
  if (typeof outcome === 'string') return inProgress()
  return outcome instanceof Problem ? outcome : JSON.parse(outcome.body)
}

/** Temporary errors are not stored as results. */
const isForNow = (status: number) => status >= 500 || status === 429
const hasFailed = (result: BatchResult): boolean => 'error' in result && isForNow(result.error.status)
const isNew = (one: Judged): one is NewNotification => 'candidate' in one
