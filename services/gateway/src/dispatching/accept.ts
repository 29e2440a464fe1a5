import { setTimeout as delay } from 'node:timers/promises'
import type { AcceptResult } from '@notify/contracts'
import { coalesce, createInternalClient, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { type AcceptRequest, type CallOptions, callDispatch, repeatAfterMs } from './call-dispatch.ts'
import { createTurns } from './large-turns.ts'

const maxBatch = 256
const callsInFlight = 4
/** A longer body, in UTF-16 units, travels alone, so that others need not wait for its parsing. */
const longestTogether = 32 * 1024
/** Longer bodies that begin together, and how long each may delay the next. */
const largeTogether = 4
const longestTurnMs = 50
/** Maximum UTF-16 units of the bodies in one call. */
const maxCallLength = 1024 * 1024
const together = {
  maxBatch,
  maxInFlight: callsInFlight,
  weight: { of: ({ text }: AcceptRequest) => text.length, max: maxCallLength },
}

/** Accepts one request through dispatch. */
export type Accept = (request: AcceptRequest) => Promise<AcceptResult>

/** Batches concurrent requests into one call to dispatch, and repeats those whose outcome is unknown. */
export function createAcceptance(context: Context): Accept {
  const accept = coalesce<AcceptRequest, AcceptResult>({
    ...together,
    run: (requests) => acceptInTime(context, requests, { dispatch: context.dispatch, defers: true }),
  })
  // Large and slow requests travel alone, and repeated ones apart, over connections of their own.
  const slow = { dispatch: createInternalClient(context.config.DISPATCH_URL), defers: false }
  const acceptAgain = coalesce<AcceptRequest, AcceptResult>({
    ...together,
    run: (requests) => acceptInTime(context, requests, slow),
  })
  const acceptAlone = async (request: AcceptRequest) => {
    const [result] = await acceptTogether(context, [request], slow)
    if (result instanceof Error) throw result
    return result!
  }
  // A tenant may send many large ones at once after a pause: together they would hold up every process on the way.
  const largeTurns = createTurns({ places: largeTogether, longestMs: longestTurnMs })
  const acceptLarge = (request: AcceptRequest) =>
    largeTurns(async () => {
      if (request.untilMs <= performance.now()) throw tooLate()
      return acceptAlone(request)
    })
  const acceptFirst = async (request: AcceptRequest) => {
    if (request.text.length > longestTogether) return acceptLarge(request)
    const early = await accept(request)
    return 'pending' in early ? acceptAlone(request) : early
  }
  const acceptRepeatedly = async (request: AcceptRequest) => {
    let result = await acceptFirst(request)
    for (const waitMs of repeatAfterMs) {
      if (!isUnknown(result)) break
      request.unknown ??= unknownOutcome(result)
      if (performance.now() + waitMs >= request.untilMs) break
      context.metrics.acceptRepeated()
      await delay(waitMs)
      result = await acceptAgain(request)
    }
    return result
  }
  return async (request) => {
    const result = await acceptRepeatedly(request).catch(problemOf)
    if (request.unknown && isForNow(result)) throw request.unknown
    if (result instanceof Problem) throw result
    return result
  }
}

type Failed = Extract<AcceptResult, { problem: unknown }>

/** Whether dispatch failed, perhaps after its commit: a repetition with the same id is accepted once. */
const isUnknown = (result: AcceptResult): result is Failed =>
  'problem' in result && result.may_have_taken_effect === true

const unknownOutcome = ({ problem }: Failed): Problem =>
  new Problem('service_unavailable', problem.detail, { mayHaveTakenEffect: true })

/** Whether a repetition may be answered otherwise; a refusal of what the request says is final. */
function isForNow(result: AcceptResult | Problem): boolean {
  const problem = result instanceof Problem ? result : 'problem' in result ? result.problem : undefined
  return problem !== undefined && (problem.status >= 500 || problem.status === 429)
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

/** Drops requests whose callers already received 503. */
async function acceptInTime(context: Context, requests: readonly AcceptRequest[], options: CallOptions) {
  const nowMs = performance.now()
  const inTime = requests.filter(({ untilMs }) => untilMs > nowMs)
  const results = inTime.length === 0 ? [] : await acceptTogether(context, inTime, options)
  const outcomes = new Map(inTime.map((request, index) => [request, results[index]!]))
  return requests.map((request) => outcomes.get(request) ?? tooLate())
}

function tooLate(): Problem {
  return new Problem('service_unavailable', 'The service is busy; try again shortly')
}

async function acceptTogether(context: Context, requests: readonly AcceptRequest[], options: CallOptions) {
  const results = await callDispatch(context, requests, options)
  logAccepted(context, requests, results)
  return results
}

/** One log line per call with every notification id; a line for each would cost far more. */
function logAccepted(
  { log }: Context,
  requests: readonly AcceptRequest[],
  results: readonly (AcceptResult | Error)[],
): void {
  const accepted = requests.flatMap(({ requestId, item }, index) => {
    const result = results[index]!
    return 'body' in result && !result.replayed
      ? [{ request_id: requestId, notification_id: item.notification_id }]
      : []
  })
  if (accepted.length > 0) log.info({ accepted }, 'accepted')
}
