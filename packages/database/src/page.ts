import { createHash, timingSafeEqual } from 'node:crypto'
import { type Id, type IdPrefix, idSchema, type KeyPrincipal, type Route } from '@notify/contracts'
import { jsonText, Problem, pathOf } from '@notify/service-kit'
import type { z } from 'zod'

/** The parts of a request that `page` reads. */
export interface ListRequest {
  contract: Route
  params?: unknown
  principal: Pick<KeyPrincipal, 'tenant_id'>
  /** Parsed. All fields except `limit`, `cursor` and `page` are filters. */
  query: { limit: number; cursor?: string | undefined }
}

/** The order of a list, by a unique position. */
export interface ListOrder<Row, Position> {
  /** Validates a position from a cursor: short JSON that fits the statement's parameters. */
  position: z.ZodType<Position>
  of(row: Row): Position
}

export interface Page<Row> {
  items: Row[]
  /** Cursor after the last item; null on the last page. */
  next_cursor: string | null
}

/** Rows of a page that has no room for all that were asked for. */
export interface CutRows<Row> {
  rows: Row[]
  /** Whether further rows follow, however few these are. */
  isCut: boolean
}

/** Order by id, which is creation order; the position is the id. */
export function orderById<P extends IdPrefix>(prefix: P): ListOrder<{ id: Id<P> }, Id<P>> {
  return { position: idSchema(prefix) as unknown as z.ZodType<Id<P>>, of: ({ id }) => id }
}

/**
 * Reads a page by keyset, so that concurrent inserts and deletes neither repeat nor hide rows.
 * @param order unique, and equal to the `order by` of the statement
 * @param read rows after a position, undefined on the first page; at most `limit`
 * @throws Problem `validation_failed` for a cursor of another list, filter, tenant or release
 * @example const { items, next_cursor } = await page(request, orderById('dom'), (after, limit) =>
 * listDomainRows(db.run, { tenantId, after, limit }))
 */
export async function page<Row, Position>(
  request: ListRequest,
  order: ListOrder<NoInfer<Row>, Position>,
  read: (after: Position | undefined, limit: number) => Promise<Row[] | CutRows<Row>>,
): Promise<Page<Row>> {
  const { limit, cursor } = request.query
  const list = listOf(request)
  const after = cursor === undefined ? undefined : readCursor(list, order.position, cursor)
  // One extra row shows whether another page follows.
  const found = await read(after, limit + 1)
  const { rows, isCut } = Array.isArray(found) ? { rows: found, isCut: false } : found
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next_cursor: (isCut || rows.length > limit) && last ? writeCursor(list, order.of(last)) : null }
}

/** First byte of a cursor; changes with the format of positions. */
const version = 1
const tagBytes = 9

/** Parameters that select a part of a list, and do not filter it. */
const paging: ReadonlySet<string> = new Set(['limit', 'cursor', 'page'])

/** The list that a cursor is bound to: tenant, route with identifiers, and filters. */
function listOf({ contract, params, principal, query }: ListRequest): string {
  const path = pathOf(contract, (params ?? {}) as Record<string, string>)
  const filters = Object.entries(query).filter(([name, value]) => value !== undefined && !paging.has(name))
  const list = `${principal.tenant_id} ${path}`
  return filters.length === 0 ? list : `${list} ${JSON.stringify(filters.sort(([a], [b]) => (a < b ? -1 : 1)))}`
}

function writeCursor(list: string, position: unknown): string {
  const text = JSON.stringify(position)
  return Buffer.concat([Buffer.of(version), tagOf(list, text), Buffer.from(text)]).toString('base64url')
}

function readCursor<Position>(list: string, schema: z.ZodType<Position>, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const text = bytes.toString('utf8', 1 + tagBytes)
  // Postgres stores no text with NUL.
  const isOurs = bytes[0] === version && bytes.length > 1 + tagBytes && !text.includes('\\u0000')
  if (!isOurs || !timingSafeEqual(bytes.subarray(1, 1 + tagBytes), tagOf(list, text))) throw foreignCursor()
  const position = jsonText(schema).safeParse(text)
  if (!position.success) throw foreignCursor()
  return position.data
}

/** Detects mistakes, not attacks. Only the conditions of the statement restrict what a tenant may read. */
function tagOf(list: string, text: string): Buffer {
  return createHash('sha256').update(`${list}\n${text}`).digest().subarray(0, tagBytes)
}

function foreignCursor(): Problem {
  return new Problem('validation_failed', 'cursor does not belong to this list; omit it to start from the first page', {
    errors: [
      { path: 'cursor', message: 'must be the next_cursor of an earlier page of this list, with the same filters' },
    ],
  })
}
