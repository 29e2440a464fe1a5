import { idSchema, type KeyPrincipal, type Route } from '@notify/contracts'
import { type PassedOn, Problem, type Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { forward } from '../forwarding/forward.ts'
import { ownsApplication } from './application-store.ts'

/**
 * Forwards a body whose `application_id` is null or an application of the caller's tenant. The gateway owns the applications,
 * so it judges this before the owner of the route judges the rest.
 * @throws Problem `validation_failed`, the same for another tenant's application as for one that does not exist
 */
export async function forwardWithOwnApplication<R extends Route>(
  context: RouteContext,
  request: PassedOn<R>,
): Promise<Reply> {
  const id = applicationOf(request.body)
  const { tenant_id } = request.principal as Pick<KeyPrincipal, 'tenant_id'>
  if (id !== undefined && !(await ownsApplication(context.db, tenant_id, id))) {
    const message = 'names no application of this tenant'
    throw new Problem('validation_failed', `application_id ${message}`, {
      errors: [{ path: 'application_id', message }],
    })
  }
  return forward(context, request)
}

/** What is no identifier of an application is refused by the owner of the route. */
function applicationOf(body: unknown): string | undefined {
  return idSchema('app').safeParse((body as { application_id?: unknown } | null)?.application_id).data
}
