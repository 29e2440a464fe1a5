import { createHash, timingSafeEqual } from 'node:crypto'
import { type IdPrefix, idSchema, type KeyPrincipal, type Route } from '@notify/contracts'
import { jsonText, Problem, pathOf } from '@notify/service-kit'
import type { z } from 'zod'

/** What `page` reads of a request. */
export interface ListRequest {
  contract: Route
  params?: unknown
  principal: Pick<KeyPrincipal, 'tenant_id'>
  query: { limit: number; cursor?: string | undefined }
}

/** The order of a list, by what tells one row's position in it from all others. */
export interface ListOrder<Row, Position> {
  /** Checks a position that comes back from a caller: JSON, short, and fit to be bound to the statement. */
  position: z.ZodType<Position>
  of(row: Row): Position
}

export interface Page<Row> {
  items: Row[]
  /** Continues after the last item; null on the last page. */
  next_cursor: string | null
}

/** The order of a list by id, which is the order of creation: the position is the id. */
export function orderById(prefix: IdPrefix): ListOrder<{ id: string }, string> {
  return { position: idSchema(prefix), of: ({ id }) => id }
}

/**
 * Reads one page of a list by keyset: rows that are added or removed meanwhile neither repeat nor hide others.
 * @param order unique among the rows, and the `order by` of the statement
 * @param read rows after a position, which is undefined on the first page; at most `limit`
 * @throws Problem `validation_failed` when the cursor was not issued for this list and tenant, or by another release
 * @example const { items, next_cursor } = await page(request, orderById('dom'), (after, limit) =>
 *   listDomainRows(db.run, { tenantId, after, limit }))
 */
export async function page<Row, Position>(
  request: ListRequest,
  order: ListOrder<NoInfer<Row>, Position>,
  read: (after: Position | undefined, limit: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const { limit, cursor } = request.query
  const list = listOf(request)
  const after = cursor === undefined ? undefined : readCursor(list, order.position, cursor)
  // One more than is shown tells whether another page follows.
  const rows = await read(after, limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: rows.length > limit && last ? writeCursor(list, order.of(last)) : null }
}

/** First byte of a cursor; another one is needed when positions are written otherwise. */
const version = 1
const tagBytes = 9

/** What a cursor is bound to: its route with identifiers, and the tenant. */
function listOf({ contract, params, principal }: ListRequest): string {
  return `${principal.tenant_id} ${pathOf(contract, (params ?? {}) as Record<string, string>)}`
}

function writeCursor(list: string, position: unknown): string {
  const text = JSON.stringify(position)
  return Buffer.concat([Buffer.of(version), tagOf(list, text), Buffer.from(text)]).toString('base64url')
}

function readCursor<Position>(list: string, schema: z.ZodType<Position>, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.toString('utf8', 1 + tagBytes)
  const isOurs = bytes[0] === version && bytes.length > 1 + tagBytes
  if (!isOurs || !timingSafeEqual(bytes.subarray(1, 1 + tagBytes), tagOf(list, text))) throw foreignCursor()
  const position = jsonText(schema).safeParse(text)
  if (!position.success) throw foreignCursor()
  return position.data
}

/** Tells mistakes, not attacks: what a tenant may read is up to the statement alone. */
function tagOf(list: string, text: string): Buffer {
  return createHash('sha256').update(`${list}\n${text}`).digest().subarray(0, tagBytes)
}

function foreignCursor(): Problem {
  return new Problem(
    'validation_failed',
    'cursor does not belong to this list; leave it out to start again from the first page',
    { errors: [{ path: 'cursor', message: 'must be the next_cursor of an earlier page of this list' }] },
  )
}
