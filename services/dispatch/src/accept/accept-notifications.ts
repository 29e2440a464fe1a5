import { setImmediate } from 'node:timers/promises'
import { type AcceptItem, type AcceptLine, acceptNotifications as contract, type KeyPrincipal } from '@notify/contracts'
import { type Handler, Problem, Reply, StreamedReply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { WithAcceptOne } from './accept-candidate.ts'
import { type Candidate, readCandidate, refusalOf } from './accept-item.ts'

/** Accepts requests that the gateway has collected. Each is answered with a line when it is settled. */
export const acceptNotifications: Handler<Context & WithAcceptOne, typeof contract> = async (
  { acceptOne, ...context },
  { body: { principals, items }, isAwaited },
) => {
  const callers = await Promise.all(principals.map((principal) => callerOf(context, principal)))
  const lines = items.map(async (item, at): Promise<AcceptLine> => {
    const read = (traceparent: string | undefined) =>
      candidateOf(context, item, callers[item.principal], { traceparent, isAwaited })
    return { item: at, ...(await acceptOne(item, read)) }
  })
  const settled = settledLines(lines)
  const first = await settled.next()
  // Most calls are settled at once: a response of one piece is one write for each side.
  return settled.isOver()
    ? new Reply(200, first)
    : new StreamedReply(piecesOf(first, settled), { 'content-type': contract.responseType })
}

interface SettledLines {
  /** The lines settled since the last piece, as soon as there are any. */
  next(): Promise<string>
  isOver(): boolean
}

/** The lines in the order of settlement; those of the same moment are one piece. */
function settledLines(lines: readonly Promise<AcceptLine>[]): SettledLines {
  let settled = ''
  let left = lines.length
  let wake = () => {}
  for (const line of lines)
    void line.then((value) => {
      settled += `${JSON.stringify(value)}\n`
      left -= 1
      wake()
    })
  return {
    async next() {
      if (settled === '' && left > 0) await new Promise<void>((resolve) => (wake = resolve))
      // Requests that were settled together leave their microtasks within this turn.
      await setImmediate()
      const piece = settled
      settled = ''
      return piece
    },
    isOver: () => left === 0 && settled === '',
  }
}

async function* piecesOf(first: string, settled: SettledLines): AsyncGenerator<string> {
  yield first
  while (!settled.isOver()) yield await settled.next()
}

/** The caller; a principal that may not send gets a refusal for each item. */
async function callerOf({ secrets }: Pick<Context, 'secrets'>, token: string): Promise<KeyPrincipal | Problem> {
  try {
    const principal = await secrets.verifyPrincipal(token)
    if (principal.kind === 'key' && principal.permissions.includes('notifications:send')) return principal
    return new Problem('permission_denied', 'The caller lacks the permission notifications:send')
  } catch (error) {
    return refusalOf(error)
  }
}

/** @throws Problem for a caller that may not send or a body that does not fit its schema */
function candidateOf(
  context: Context,
  { notification_id: notificationId, request, idempotency_key: idempotencyKey, repeated: isRepeated }: AcceptItem,
  caller: KeyPrincipal | Problem | undefined,
  call: Pick<Candidate, 'isAwaited'> & { traceparent: string | undefined },
): Candidate {
  if (caller === undefined) throw new Problem('unauthenticated', 'The item names no principal of its call')
  if (caller instanceof Problem) throw caller
  return readCandidate(context, { notificationId, principal: caller, request, idempotencyKey, isRepeated, ...call })
}
