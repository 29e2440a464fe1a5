import { type BatchResult, createNotificationBatch as contract, type KeyPrincipal, newId } from '@notify/contracts'
import { idempotencyScope, type Run, runIdempotently } from '@notify/database'
import { type Handler, Problem, Reply, requireStorable, type Span } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { acceptBatch } from './accept-batch.ts'
import type { AcceptOutcome, Candidate } from './accept-item.ts'
import { readCandidate } from './read-candidate.ts'

/** Accepts the requests of one call, each alone; with an Idempotency-Key the whole answer is kept along with them. */
export const createBatch: Handler<Context, typeof contract> = async (context, request) => {
  const { body, principal, span, idempotencyKey } = request
  const accept = (run: Run) => acceptRequests(context, body.requests, principal, span, run)
  if (!idempotencyKey) return accept(context.db.run)
  const reply = await runIdempotently(
    context.db,
    {
      scope: idempotencyScope(principal, contract.path),
      key: idempotencyKey,
      fingerprint: context.secrets.fingerprint(body),
    },
    accept,
  )
  context.wakeOutbox()
  return reply
}

async function acceptRequests(
  context: Context,
  requests: readonly unknown[],
  principal: KeyPrincipal,
  span: Span,
  run: Run,
): Promise<Reply> {
  const read = requests.map((request) => tryRead(context, request, principal, span))
  const candidates = read.filter((one): one is Candidate => !(one instanceof Problem))
  const outcomes = candidates.length === 0 ? [] : await acceptBatch(context, candidates, run)
  const places = new Map(candidates.map((candidate, place) => [candidate, place]))
  const results = read.map((one) => resultOf(one instanceof Problem ? one : outcomes[places.get(one)!]!))
  return new Reply(202, JSON.stringify({ results }))
}

function tryRead(context: Context, request: unknown, principal: KeyPrincipal, span: Span): Candidate | Problem {
  try {
    requireStorable(request)
    return readCandidate(context, {
      notificationId: newId('notif'),
      principal,
      request,
      traceparent: span.traceparent,
      idempotencyKey: undefined,
    })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function resultOf(outcome: AcceptOutcome): BatchResult {
  return outcome instanceof Problem ? { error: outcome.toBody() } : JSON.parse(outcome.body)
}
