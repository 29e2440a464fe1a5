import { type listActivity as contract, idSchema } from '@notify/contracts'
import { type ListOrder, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { readFilter } from './activity-filter.ts'
import { type ActivityRow, describeItem, listItems, type Position } from './item-store.ts'
import { countItems } from './total-store.ts'

/** The activity of the operator's tenant; dispatch has masked the recipients. */
export const listActivity: Handler<Context, typeof contract> = async ({ db, blindIndex }, request) => {
  const { query, principal } = request
  const filter = readFilter(blindIndex, principal.tenant_id, query)
  const skipped = (query.page - 1) * query.limit
  const [{ total, capped }, { items, next_cursor }] = await Promise.all([
    countItems(db, filter),
    page(request, newestFirst, (after, limit) => listItems(db, filter, { after, offset: after ? 0 : skipped, limit })),
  ])
  return {
    total_count: total,
    total_count_capped: capped,
    page: query.page,
    items: items.map(describeItem),
    next_cursor,
  }
}

/** ISO 8601 allows the year 0, Postgres does not. */
const time = z.iso.datetime({ precision: 3 }).refine((text) => !text.startsWith('0000'))

const newestFirst: ListOrder<ActivityRow, Position> = {
  position: z.object({ createdAt: time, id: z.union([idSchema('notif'), idSchema('otp')]) }),
  of: ({ created_at, transaction_id }) => ({ createdAt: created_at.toISOString(), id: transaction_id }),
}
