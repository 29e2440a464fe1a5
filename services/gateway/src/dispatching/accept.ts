import { setTimeout as delay } from 'node:timers/promises'
import type { ItemResult } from '@notify/contracts'
import { coalesce, createInternalClient, Problem } from '@notify/service-kit'
import type { Config } from '../config.ts'
import type { GatewayMetrics } from '../metrics.ts'
import { type AcceptAnswer, type AcceptRequest, type Asked, type CallContext, callDispatch } from './call-dispatch.ts'

const maxBatch = 256
/** Maximum UTF-16 units of the bodies in one call. */
const maxCallLength = 1024 * 1024
/** A longer body travels alone, so that others need not wait for its parsing. */
const longestTogether = 32 * 1024
/** The number of concurrent calls, and how long each may delay the next. Large bodies take longer to send. */
const callsTogether = 4
const longestTurnMs = 20
const longestLargeTurnMs = 50
/** More than the slow requests that dispatch handles at a time: each keeps the connection of its call. */
const connections = 1024
/** Delays before an unanswered request is sent again; its id makes that harmless. */
const repeatAfterMs = [50, 200, 500, 1000, 1500]

/** Accepts one request through dispatch. @throws Problem `service_unavailable` without an answer in time */
export type Accept = (request: AcceptRequest) => Promise<ItemResult>

/**
 * Batches concurrent requests into one call to dispatch, which answers each on its own. An unanswered request is sent again
 * until its deadline; if dispatch may have begun it, alone, because it may be what stops dispatch.
 */
export function createAcceptance(context: CallContext & { config: Config; metrics: GatewayMetrics }): Accept {
  const call = (asked: readonly Asked[]) => callDispatch(context, dispatch, asked)
  const dispatch = createInternalClient(context.config.DISPATCH_URL, { connections })
  const together = takingTurns(call, {
    longestTurnMs,
    maxBatch,
    weight: { of: ({ request }) => request.text.length, max: maxCallLength },
  })
  const alone = takingTurns(call, { maxBatch: 1, longestTurnMs: longestLargeTurnMs })
  return async (request) => {
    let ask = request.text.length > longestTogether ? alone : together
    let unknown: Problem | undefined
    let asked = request
    for (let repetition = 0; ; repetition++) {
      const answer = await ask(asked)
      if (answer instanceof Problem && answer.mayHaveTakenEffect) {
        unknown ??= answer
        ask = alone
      }
      const waitMs = repeatAfterMs[repetition]
      if (!isUnanswered(answer) || waitMs === undefined || performance.now() + waitMs >= request.untilMs)
        return resultOf(unknown && isForNow(answer) ? unknown : answer)
      context.metrics.acceptRepeated()
      await delay(waitMs)
      asked = { ...request, item: { ...request.item, repeated: true } }
    }
  }
}

interface Limits {
  longestTurnMs: number
  maxBatch: number
  weight?: { of(asked: Asked): number; max: number }
}

/**
 * Collects requests while earlier calls are under way. A turn ends with the first answer of its call, or after a time, so
 * slow requests delay no others.
 */
function takingTurns(
  call: (asked: readonly Asked[]) => Promise<void>,
  { longestTurnMs, ...limits }: Limits,
): (request: AcceptRequest) => Promise<AcceptAnswer> {
  const collect = coalesce<Asked, void>({
    ...limits,
    maxInFlight: callsTogether,
    async run(asked) {
      const { promise: turn, resolve: end } = Promise.withResolvers<void>()
      const timer = setTimeout(end, longestTurnMs)
      const endingTurn = asked.map(({ request, answer }) => ({
        request,
        answer(result: AcceptAnswer) {
          answer(result)
          clearTimeout(timer)
          end()
        },
      }))
      void call(endingTurn)
      await turn
      return []
    },
  })
  return (request) => new Promise((answer) => void collect({ request, answer }))
}

const isUnanswered = (answer: AcceptAnswer): boolean =>
  answer instanceof Problem && answer.code === 'service_unavailable'

/** Whether a repetition may be answered differently; a refusal of the request's content is final. */
function isForNow(answer: AcceptAnswer): boolean {
  if ('body' in answer) return false
  const { status } = 'problem' in answer ? answer.problem : answer instanceof Problem ? answer : { status: 500 }
  return status >= 500 || status === 429
}

function resultOf(answer: AcceptAnswer): ItemResult {
  if (answer instanceof Error) throw answer
  return answer
}
