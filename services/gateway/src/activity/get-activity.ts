import type { getActivity as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { describeItem, findItem } from './item-store.ts'
import { readTimeline } from './read-timeline.ts'

/** An item of the operator's tenant with its attempts. */
export const getActivity: Handler<RouteContext, typeof contract> = async (context, { params, principal }) => {
  const item = await findItem(context.db, principal.tenant_id, params.id)
  if (!item) throw new Problem('not_found', 'No transaction has this id')
  const { application_id, updated_at, ...row } = item
  const timeline = await readTimeline(context, principal.tenant_id, { ...row, id: row.transaction_id })
  return { ...describeItem(row), application_id, updated_at: updated_at.toISOString(), ...timeline }
}
