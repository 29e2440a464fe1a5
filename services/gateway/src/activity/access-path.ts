import { type Expression, type RawBuilder, sql } from 'kysely'
import type { ActivityFilter } from './activity-filter.ts'
import { kindOf } from './kind-sql.ts'

/** A condition, or a list of them that all apply. */
export type Condition = RawBuilder<boolean>

export const all = (conditions: readonly Condition[]): Condition => sql<boolean>`${sql.join(conditions, sql` and `)}`

/**
 * How a filter reaches its rows: each row of `sources` is a range of one index, in the order of the list. Without sources
 * `conditions` are one range. A range may be that of another tenant's recipient: compare the tenant of what it holds.
 */
export interface AccessPath {
  sources?: RawBuilder<unknown>
  /** Conditions of the range, on `activity a` and on a row `s` of the sources. */
  conditions: Condition[]
  /** What the index does not cover: conditions on `a` that are compared row by row. */
  compared: Condition[]
}

/** Chooses the index. */
export function accessPath(filter: ActivityFilter): AccessPath {
  const { tenantId, recipientIndex, broadcastId, digestId, eventKey, locale } = filter
  if (recipientIndex !== undefined) return byRow(filter, isOfRecipient(sql.ref('a.recipient_index'), recipientIndex))
  if (broadcastId !== undefined) return byPart(filter, 'broadcast_id', broadcastId)
  if (digestId !== undefined) {
    // Only a digest of the tenant's has items of the tenant.
    const ofDigest = all([sql<boolean>`a.digest_id = ${digestId}`, sql<boolean>`a.tenant_id = ${tenantId}`])
    return byRow({ ...filter, digestId: undefined }, ofDigest)
  }
  if (eventKey !== undefined) return byPart(filter, 'event_key', eventKey)
  if (locale !== undefined) return byPart(filter, 'locale', locale)
  const dimensions = dimensionsOf(filter)
  if (dimensions.length === 0) return { conditions: [sql<boolean>`a.tenant_id = ${tenantId}`], compared: [] }
  return {
    sources: kindsSql(tenantId, '', dimensions),
    conditions: [sql<boolean>`${kindOf('a')} = ${kindOf('s', sql`${tenantId}::text`)}`],
    compared: [],
  }
}

/** By an index of few items, of which all others are compared. */
const byRow = (filter: ActivityFilter, condition: Condition): AccessPath => ({
  conditions: [condition],
  compared: [...dimensionsOf(filter, 'a'), ...rest(filter)],
})

/** By the index of the kinds of a broadcast, an event or a language. */
function byPart(filter: ActivityFilter, column: keyof typeof filterOfColumn, value: string): AccessPath {
  const part = sql.ref(`a.${column}`)
  // Only the kinds of an event have counters of their own.
  const counted = column === 'event_key' ? value : ''
  return {
    sources: kindsSql(filter.tenantId, counted, dimensionsOf(filter)),
    conditions: [
      sql<boolean>`${kindOf('a', undefined, part)} = ${kindOf('s', sql`${filter.tenantId}::text`, sql`${value}::text`)}`,
      sql<boolean>`${part} is not null`,
    ],
    compared: rest({ ...filter, [filterOfColumn[column]]: undefined }),
  }
}

const filterOfColumn = { broadcast_id: 'broadcastId', event_key: 'eventKey', locale: 'locale' } as const

/** What is compared row by row. */
const rest = ({ eventKey, locale, broadcastId, digestId }: ActivityFilter): Condition[] => [
  ...(eventKey === undefined ? [] : [sql<boolean>`a.event_key = ${eventKey}`]),
  ...(broadcastId === undefined ? [] : [sql<boolean>`a.broadcast_id = ${broadcastId}`]),
  ...(digestId === undefined ? [] : [sql<boolean>`a.digest_id = ${digestId}`]),
  ...(locale === undefined ? [] : [sql<boolean>`a.locale = ${locale}`]),
]

/** SQL that is true for the items of a recipient: the index holds a hash of its blind index. */
export function isOfRecipient(column: Expression<unknown>, index: string): Condition {
  return sql<boolean>`hashtextextended(${column}, 0) = hashtextextended(${index}::text, 0) and ${column} = ${index}`
}

/** The kinds that have items, according to the counters. */
function kindsSql(tenantId: string, eventKey: string, dimensions: readonly Condition[]): RawBuilder<unknown> {
  const ofEvent = [
    sql<boolean>`tenant_id = ${tenantId}`,
    sql<boolean>`event_key = ${eventKey}`,
    sql<boolean>`count > 0`,
  ]
  return sql`select application_id, mode, channel, status, retryable from activity_totals where ${all([...ofEvent, ...dimensions])}`
}

/** Conditions on the columns that the counters have too. */
export function dimensionsOf(filter: Omit<ActivityFilter, 'tenantId'>, relation?: string): Condition[] {
  const { applicationId, mode, channel, status, retryable } = filter
  const wanted = { application_id: applicationId, mode, channel, status, retryable }
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(relation ? `${relation}.${column}` : column)} = ${value}`],
  )
}

/** Conditions on the time of `activity a`. */
export function rangeOf({ from, to }: Pick<ActivityFilter, 'from' | 'to'>): Condition[] {
  return [
    ...(from ? [sql<boolean>`a.created_at >= ${from}::timestamptz`] : []),
    ...(to ? [sql<boolean>`a.created_at < ${to}::timestamptz`] : []),
  ]
}
