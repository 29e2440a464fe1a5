import type { getBroadcast as getContract, listBroadcasts as listContract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { broadcastRows, findBroadcast } from './broadcast-store.ts'
import { describeBroadcast } from './describe-broadcast.ts'

export const broadcastMissing = () => new Problem('not_found', 'No broadcast has this id')

export const getBroadcast: Handler<Context, typeof getContract> = async ({ db }, { params, principal }) => {
  const row = await findBroadcast(db.run, principal, params.broadcast_id)
  if (!row) throw broadcastMissing()
  return describeBroadcast(row)
}

export const listBroadcasts: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { list_id: listId, mode } = request.query
  const { items, next_cursor } = await page(request, orderById('bc'), (after, limit) =>
    broadcastRows(db.run, request.principal, { listId, mode, after, limit }),
  )
  return { items: items.map(describeBroadcast), next_cursor }
}
