import { type createNotificationBatch as contract, maxBatchRequests, recipientsOf } from '@notify/contracts'
import { type PassedOn, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { forward } from '../forwarding/forward.ts'

/** Sends a batch to dispatch; each item counts against the caller's limits. */
export async function createBatch(context: RouteContext, request: PassedOn<typeof contract>): Promise<Reply> {
  const limits = context.charge(request.principal, countOf(request.body) - 1)
  const { status, text, headers } = await forward(context, request)
  return new Reply(status, text, { ...headers, ...limits })
}

function countOf(body: unknown): number {
  const requests = (body as { requests?: unknown } | null)?.requests
  // A list that is too long is refused as a whole; it must not exhaust its caller's limit for minutes.
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > maxBatchRequests) return 1
  return requests.reduce((count, one) => count + recipientsOf(one), 0)
}
