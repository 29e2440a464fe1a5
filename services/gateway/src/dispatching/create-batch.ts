import type { createNotificationBatch as contract } from '@notify/contracts'
import type { PassedOn, Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { forward } from '../forwarding/forward.ts'

/** Sends a batch to dispatch; each item counts against the caller's limits. */
export async function createBatch(context: RouteContext, request: PassedOn<typeof contract>): Promise<Reply> {
  const further = countOf(request.body) - 1
  if (further > 0) context.charge(request.principal, further)
  return forward(context, request)
}

function countOf(body: unknown): number {
  const requests = (body as { requests?: unknown } | null)?.requests
  return Array.isArray(requests) ? requests.length : 1
}
