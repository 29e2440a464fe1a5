import { type AcceptItem, acceptNotifications, type ItemResult, type KeyPrincipal } from '@notify/contracts'
import { type InternalClient, type Logger, Problem, type SignPrincipal } from '@notify/service-kit'

/** A request on its way to dispatch. */
export interface AcceptRequest {
  requestId: string
  principal: KeyPrincipal
  item: Pick<AcceptItem, 'notification_id' | 'idempotency_key' | 'traceparent' | 'request_id' | 'repeated'>
  /** The body as the caller sent it. */
  text: string
  /** Deadline, by `performance.now()`. */
  untilMs: number
}

/** The result of a request, or why there is none: `mayHaveTakenEffect` says whether it may still be accepted. */
export type AcceptAnswer = ItemResult | Error

/** A request in a call. */
export interface Asked {
  request: AcceptRequest
  /** Receives the answer, once. */
  answer(answer: AcceptAnswer): void
}

export interface CallContext {
  signPrincipal: SignPrincipal
  log: Logger
}

/** Longer than dispatch takes for any item, and short enough for a repetition. */
const longestCallMs = 5000

/**
 * Sends requests to dispatch in one call, except those already answered 503. Each is answered as soon as its
 * line arrives, and the rest when the call fails.
 */
export async function callDispatch(
  { signPrincipal, log }: CallContext,
  dispatch: InternalClient,
  asked: readonly Asked[],
): Promise<void> {
  const nowMs = performance.now()
  const inTime = asked.filter(({ request }) => request.untilMs > nowMs)
  for (const { request, answer } of asked) if (request.untilMs <= nowMs) answer(tooLate())
  if (inTime.length === 0) return
  const open = new Map(inTime.entries())
  const accepted: object[] = []
  const settle = (at: number, result: ItemResult) => {
    const { request, answer } = open.get(at)!
    open.delete(at)
    if ('body' in result && !result.replayed)
      accepted.push({ request_id: request.requestId, notification_id: request.item.notification_id })
    answer('problem' in result && result.may_have_taken_effect ? unknownOutcome(result.problem.detail) : result)
  }
  const requests = inTime.map(({ request }) => request)
  const timeoutMs = Math.min(longestCallMs, ...requests.map(({ untilMs }) => untilMs - nowMs))
  try {
    const bodyText = await writeCall(signPrincipal, requests)
    await dispatch.stream(acceptNotifications, { bodyText, timeoutMs }, ({ item, ...result }) => settle(item, result))
  } catch (error) {
    const failure = failureOf(error)
    for (const { answer } of open.values()) answer(failure)
  }
  // One line per call with every notification id; a line for each would cost far more.
  if (accepted.length > 0) log.info({ accepted }, 'accepted')
}

function failureOf(error: unknown): Error {
  const { cause, message } = error as Error
  const mayHaveBegun = error instanceof Problem && (cause as { hasLeft?: boolean } | undefined)?.hasLeft === true
  return mayHaveBegun ? unknownOutcome(message, cause) : (error as Error)
}

function tooLate(): Problem {
  return new Problem('service_unavailable', 'The service is busy; try again shortly')
}

/** Dispatch failed, perhaps after its commit: a repetition with the same id is accepted once. */
function unknownOutcome(detail: string, cause?: unknown): Problem {
  return new Problem('service_unavailable', detail, { mayHaveTakenEffect: true, cause })
}

/** The body of the call; contains the callers' JSON unchanged, which dispatch validates. */
async function writeCall(signPrincipal: SignPrincipal, requests: readonly AcceptRequest[]): Promise<string> {
  const callers = [...new Set(requests.map(({ principal }) => principal))]
  const positions = new Map(callers.map((principal, position) => [principal, position]))
  const items = requests.map(({ item, principal, text }) => {
    const head = JSON.stringify({ ...item, principal: positions.get(principal) })
    return `${head.slice(0, -1)},"request":${text}}`
  })
  const principals = await Promise.all(callers.map(signPrincipal))
  return `{"principals":${JSON.stringify(principals)},"items":[${items.join(',')}]}`
}
