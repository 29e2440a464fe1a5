import type { getApiKey as getContract, listApiKeys as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { keyPlace, noSuchKey, requireApplication } from './key-of-application.ts'
import { describeKey, findKeyRow, listKeyRows } from './key-store.ts'

export const getKey: Handler<RouteContext, typeof getContract> = async ({ db }, request) => {
  const place = keyPlace(request)
  await requireApplication(db.run, place.tenantId, place.applicationId)
  const row = await findKeyRow(db.run, place)
  if (!row) throw noSuchKey()
  return describeKey(row)
}

export const listKeys: Handler<RouteContext, typeof listContract> = async ({ db }, request) => {
  const { application_id: applicationId } = request.params
  await requireApplication(db.run, request.principal.tenant_id, applicationId)
  const { items, next_cursor } = await page(request, orderById('key'), (after, limit) =>
    listKeyRows(db.run, { applicationId, after, limit }),
  )
  return { items: items.map(describeKey), next_cursor }
}
