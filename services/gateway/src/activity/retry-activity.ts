import type { retryActivity as contract } from '@notify/contracts'
import { type PassedOn, Problem, type Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { forward } from '../forwarding/forward.ts'
import { hasItem, setNotRetryable } from './activity-store.ts'

/**
 * Forwards retries of notifications. A code is never retried, nor is a notification that dispatch has deleted.
 * @throws Problem `not_retryable` for such items of the operator's tenant
 */
export async function retryActivity(context: RouteContext, request: PassedOn<typeof contract>): Promise<Reply> {
  const { params, principal } = request
  if (params.id.startsWith('otp_') && (await hasItem(context.db, principal.tenant_id, params.id))) {
    throw new Problem('not_retryable', 'One-time codes cannot be retried; the application must send a new one')
  }
  try {
    return await forward(context, request)
  } catch (error) {
    const isGone = error instanceof Problem && error.code === 'not_found'
    if (!isGone || !(await setNotRetryable(context.db, principal.tenant_id, params.id))) throw error
    throw new Problem(
      'not_retryable',
      'The message and its content were deleted at the end of their retention; send a new one',
    )
  }
}
