import type { getApplication as getContract, listApplications as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { describeApplication, findApplication, listApplicationRows } from './application-store.ts'
import { noSuchApplication } from './no-such-application.ts'

export const getApplication: Handler<RouteContext, typeof getContract> = async ({ db }, { params, principal }) => {
  const row = await findApplication(db.run, principal.tenant_id, params.application_id)
  if (!row) throw noSuchApplication()
  return describeApplication(row)
}

export const listApplications: Handler<RouteContext, typeof listContract> = async ({ db }, request) => {
  const { tenant_id: tenantId } = request.principal
  const { items, next_cursor } = await page(request, orderById('app'), (after, limit) =>
    listApplicationRows(db.run, { tenantId, after, limit }),
  )
  return { items: items.map(describeApplication), next_cursor }
}
