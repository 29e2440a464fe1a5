import type { liftSuppression as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { liftById } from './suppression-store.ts'

/** Lifts a suppression of any reason. */
export const liftSuppression: Handler<Context, typeof contract> = async ({ db, log }, { params, principal }) => {
  const id = params.suppression_id
  if (!(await liftById(db.run, principal.tenant_id, id))) {
    throw new Problem('not_found', 'No suppression has this id')
  }
  log.info({ suppression_id: id, operator: principal.subject }, 'suppression lifted')
}
