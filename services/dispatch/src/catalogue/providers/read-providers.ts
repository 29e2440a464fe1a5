import type { getProvider as getContract, listProviders as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeProvider, providerMissing } from './describe-provider.ts'
import { findProvider, listProviderRows } from './provider-store.ts'

/** The providers of the operator's tenant, credentials masked. */
export const listProviders: Handler<Context, typeof listContract> = async (context, request) => {
  const { tenant_id: tenantId } = request.principal
  const { channel } = request.query
  const { items, next_cursor } = await page(request, orderById('prov'), (after, limit) =>
    listProviderRows(context.db.run, { tenantId, channel, after, limit }),
  )
  return { items: items.map((row) => describeProvider(context, row)), next_cursor }
}

export const getProvider: Handler<Context, typeof getContract> = async (context, { params, principal }) => {
  const row = await findProvider(context.db.run, principal.tenant_id, params.provider_id)
  if (!row) throw providerMissing()
  return describeProvider(context, row)
}
