import type { Principal, Route } from '@notify/contracts'
import { type PassedOn, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'

/** Less than the gateway itself has for its answer. */
const timeoutMs = 7000

/** Hands a route to the service that owns it, with the caller's signed principal, and returns its answer as it is. */
export async function forward<R extends Route>(context: RouteContext, request: PassedOn<R>): Promise<Reply> {
  const { contract } = request
  // The gateway forwards for callers whom it knows; users are the owner's.
  const principal = request.principal as Principal | undefined
  const answer = await context.peers(contract.service).exchange(contract, {
    params: (request.params ?? {}) as Record<string, string>,
    search: searchOf(request.url),
    bodyText: request.bodyText,
    ...(principal ? { principal: await context.signPrincipal(principal) } : {}),
    headers: {
      'x-request-id': request.requestId,
      traceparent: request.span.traceparent,
      'idempotency-key': request.idempotencyKey,
    },
    timeoutMs,
  })
  const replayed = answer.headers['idempotent-replayed']
  return new Reply(answer.status, answer.text, typeof replayed === 'string' ? { 'Idempotent-Replayed': replayed } : {})
}

function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at)
}
