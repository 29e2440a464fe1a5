import type { Principal, Route } from '@notify/contracts'
import { type InternalAnswer, type PassedOn, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { inRoom } from './peers.ts'

/** Less than the gateway's own response timeout. */
const timeoutMs = 7000

/** Forwards a request to the owner of the route with the signed principal, and returns the response unchanged. */
export async function forward<R extends Route>(context: RouteContext, request: PassedOn<R>): Promise<Reply> {
  const { contract } = request
  // The gateway never forwards for end users here.
  const principal = request.principal as Principal | undefined
  const untilMs = performance.now() + timeoutMs
  const tenantId = principal && 'tenant_id' in principal ? principal.tenant_id : ''
  const { room, waitingRoom } = context.peers(contract.service)
  const answer = await inRoom(contract.waits ? waitingRoom : room, tenantId, () =>
    ask(context, request, { principal, untilMs }),
  )
  const replayed = answer.headers['idempotent-replayed']
  return new Reply(answer.status, answer.text, typeof replayed === 'string' ? { 'Idempotent-Replayed': replayed } : {})
}

async function ask<R extends Route>(
  { peers, signPrincipal }: RouteContext,
  { contract, params, url, bodyText, requestId, span, idempotencyKey }: PassedOn<R>,
  { principal, untilMs }: { principal: Principal | undefined; untilMs: number },
): Promise<InternalAnswer> {
  return peers(contract.service).exchange(contract, {
    params: (params ?? {}) as Record<string, string>,
    search: searchOf(url),
    bodyText,
    ...(principal ? { principal: await signPrincipal(principal) } : {}),
    headers: {
      'x-request-id': requestId,
      traceparent: span.traceparent,
      'idempotency-key': idempotencyKey,
    },
    timeoutMs: untilMs - performance.now(),
  })
}

function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at)
}
