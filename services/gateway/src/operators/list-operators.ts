import type { listOperators as contract, OperatorRecord } from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { RouteContext } from '../context.ts'
import { listOperatorRows } from './operator-store.ts'

const order: ListOrder<OperatorRecord, string> = {
  position: z.string().max(255),
  of: ({ operator_id }) => operator_id,
}

/** The operators of the tenant whose access tokens had a name or an email address. */
export const listOperators: Handler<RouteContext, typeof contract> = ({ db, log, secrets }, request) =>
  page(request, order, (after, limit) => {
    const { tenant_id: tenantId } = request.principal
    return listOperatorRows(db.run, { keyRing: secrets.keyRing, log }, { tenantId, after, limit })
  })
