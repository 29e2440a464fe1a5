import type { getApiKey as getContract, listApiKeys as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'
import { keyAddress, noSuchKey, requireApplication } from './key-of-application.ts'
import { describeKey, findKeyRow, listKeyRows } from './key-store.ts'

export const getKey: Handler<RouteContext, typeof getContract> = async ({ db }, request) => {
  const address = keyAddress(request)
  await requireApplication(db.run, address.tenantId, address.applicationId)
  const row = await findKeyRow(db.run, address)
  if (!row) throw noSuchKey()
  return describeKey(row)
}

export const listKeys: Handler<RouteContext, typeof listContract> = async ({ db }, request) => {
  const { application_id: applicationId } = request.params
  await requireApplication(db.run, request.principal.tenant_id, applicationId)
  const { items, next_cursor } = await page(request, orderById('key'), (after, limit) =>
    listKeyRows(db.run, { applicationId, mode: request.query.mode, after, limit }),
  )
  return { items: items.map(describeKey), next_cursor }
}
