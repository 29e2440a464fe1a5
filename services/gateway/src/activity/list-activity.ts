import type { listActivity as contract } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import {
  type ActivityFilter,
  type ActivityRow,
  countActivity,
  listActivityRows,
  type Position,
} from './activity-store.ts'

/** The trail of the operator's tenant; recipients were masked before they came here. */
export const listActivity: Handler<Context, typeof contract> = async ({ db }, { query, principal }) => {
  const { page, limit, cursor } = query
  const filter: ActivityFilter = {
    tenantId: principal.tenant_id,
    channel: query.channel ?? null,
    status: query.status ?? null,
  }
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const [total_count, rows] = await Promise.all([
    countActivity(db, filter),
    listActivityRows(db, filter, { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 }),
  ])
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return {
    total_count,
    page,
    items: items.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
    next_cursor: rows.length > limit && last ? writeCursor(last) : null,
  }
}

function writeCursor({ created_at, transaction_id }: ActivityRow): string {
  return Buffer.from(`${created_at.toISOString()}|${transaction_id}`).toString('base64url')
}

function readCursor(cursor: string): Position {
  const [createdAt = '', id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('|')
  if (isTime(createdAt) && /^[a-z]+_[0-9a-z]{26}$/.test(id)) return { createdAt, id }
  throw new Problem('validation_failed', 'cursor is not one that this API gave', {
    errors: [{ path: 'cursor', message: 'must be the next_cursor of an earlier answer' }],
  })
}

/** Whether the text is a time as we write them, which Postgres can read: neither 30 February nor the year 0. */
function isTime(text: string): boolean {
  const form = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  const time = new Date(text)
  return form.test(text) && !Number.isNaN(time.getTime()) && time.toISOString() === text
}
