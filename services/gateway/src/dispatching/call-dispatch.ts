import { setTimeout as delay } from 'node:timers/promises'
import { type AcceptItem, type AcceptResult, acceptNotifications, type KeyPrincipal } from '@notify/contracts'
import { type InternalClient, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'

/** A request on its way to dispatch. */
export interface AcceptRequest {
  requestId: string
  principal: KeyPrincipal
  item: Pick<AcceptItem, 'notification_id' | 'idempotency_key' | 'traceparent' | 'request_id'>
  /** The body as the caller sent it. */
  text: string
  /** Deadline, by `performance.now()`. */
  untilMs: number
  /** The failure of an attempt that may take effect, even later than the next ones fail. */
  unknown?: Problem
}

/** Longer than dispatch's Postgres timeout, and short enough for a retry. */
const firstTimeoutMs = 5000
/** Delays before a failed call or request is repeated; gateway-chosen ids make repetitions safe. */
export const repeatAfterMs = [50, 200, 500, 1000, 1500]

export interface CallOptions {
  dispatch: InternalClient
  /** Whether slow items may be answered `pending`. */
  defers: boolean
}

/**
 * Sends requests to dispatch in one call. Unanswered calls that may have started are retried in halves, down to single
 * requests, so that a request that stalls dispatch harms its neighbours only once.
 * @returns results and errors in request order
 */
export async function callDispatch(
  context: Context,
  requests: readonly AcceptRequest[],
  options: CallOptions,
  isPart = false,
): Promise<(AcceptResult | Error)[]> {
  const untilMs = Math.min(...requests.map((request) => request.untilMs))
  for (let attempt = 0; ; attempt++) {
    try {
      return await callOnce(context, requests, options, timeoutFor(requests.length, untilMs, isPart))
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'service_unavailable') throw error
      const hasBegun = mayHaveBegun(error)
      if (hasBegun) for (const request of requests) request.unknown ??= error
      const waitMs = repeatAfterMs[attempt]
      if (waitMs === undefined || performance.now() + waitMs >= untilMs) throw error
      context.metrics.acceptRepeated()
      if (requests.length > 1 && hasBegun) return callInHalves(context, requests, options)
      await delay(waitMs)
    }
  }
}

async function callInHalves(context: Context, requests: readonly AcceptRequest[], options: CallOptions) {
  const middle = requests.length >> 1
  const halves = [requests.slice(0, middle), requests.slice(middle)]
  const results = await Promise.all(
    halves.map((half) =>
      callDispatch(context, half, options, true).catch((error: Error): Error[] => half.map(() => error)),
    ),
  )
  return results.flat()
}

/** Leaves each of the possible smaller calls as much time as this one. */
function timeoutFor(count: number, untilMs: number, isPart: boolean): number {
  const leftMs = Math.max(untilMs - performance.now(), 1)
  return isPart ? leftMs / (Math.ceil(Math.log2(count)) + 1) : Math.min(firstTimeoutMs, leftMs)
}

/** Whether dispatch may have received the request. */
function mayHaveBegun({ cause }: Problem): boolean {
  return (cause as { hasLeft?: boolean } | undefined)?.hasLeft === true
}

async function callOnce(
  context: Context,
  requests: readonly AcceptRequest[],
  { dispatch, defers }: CallOptions,
  timeoutMs: number,
): Promise<AcceptResult[]> {
  const bodyText = await writeCall(context, requests, defers)
  return (await dispatch.call(acceptNotifications, { bodyText, timeoutMs })).results
}

/** The body of the call; contains the callers' JSON unchanged, which dispatch validates. */
async function writeCall(
  { signPrincipal }: Context,
  requests: readonly AcceptRequest[],
  defers: boolean,
): Promise<string> {
  const callers = [...new Set(requests.map(({ principal }) => principal))]
  const places = new Map(callers.map((principal, place) => [principal, place]))
  const items = requests.map(({ item, principal, text }) => {
    const head = JSON.stringify({ ...item, principal: places.get(principal) })
    return `${head.slice(0, -1)},"request":${text}}`
  })
  const principals = await Promise.all(callers.map(signPrincipal))
  return `{"defers":${defers},"principals":${JSON.stringify(principals)},"items":[${items.join(',')}]}`
}
