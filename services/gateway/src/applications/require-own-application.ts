import { type Id, idSchema, type KeyPrincipal, type Route } from '@notify/contracts'
import { type PassedOn, Problem, type Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { forward } from '../forwarding/forward.ts'
import { ownsApplication } from './application-store.ts'

/**
 * Forwards a body whose `application_id` is null or belongs to the caller's tenant; only the gateway can check that.
 * @throws Problem `validation_failed`, also for another tenant's application
 */
export async function forwardWithOwnApplication<R extends Route>(
  context: RouteContext,
  request: PassedOn<R>,
): Promise<Reply> {
  const id = applicationOf(request.body)
  const { tenant_id } = request.principal as Pick<KeyPrincipal, 'tenant_id'>
  if (id !== undefined && !(await ownsApplication(context.db, tenant_id, id))) {
    const message = 'is not an application of this tenant'
    throw new Problem('validation_failed', `application_id ${message}`, {
      errors: [{ path: 'application_id', message }],
    })
  }
  return forward(context, request)
}

/**
 * Forwards a request whose path names an application of the caller's tenant; only the gateway can check that.
 * @throws Problem `not_found`, also for another tenant's application
 */
export async function forwardToOwnApplication<R extends Route>(
  context: RouteContext,
  request: PassedOn<R>,
): Promise<Reply> {
  const { application_id } = request.params as { application_id: string }
  const { tenant_id } = request.principal as Pick<KeyPrincipal, 'tenant_id'>
  const id = idSchema('app').safeParse(application_id).data
  if (id === undefined || !(await ownsApplication(context.db, tenant_id, id))) {
    throw new Problem('not_found', 'No application has this id')
  }
  return forward(context, request)
}

/** The owner of the route refuses invalid ids. */
function applicationOf(body: unknown): Id<'app'> | undefined {
  return idSchema('app').safeParse((body as { application_id?: unknown } | null)?.application_id).data
}
