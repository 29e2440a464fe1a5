import type { Principal, Route } from '@notify/contracts'
import { type PassedOn, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'

/** Less than the gateway's own response timeout. */
const timeoutMs = 7000

/** Forwards a request to the owner of the route with the signed principal, and returns the response unchanged. */
export async function forward<R extends Route>(context: RouteContext, request: PassedOn<R>): Promise<Reply> {
  const { contract } = request
  // The gateway never forwards for end users here.
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
