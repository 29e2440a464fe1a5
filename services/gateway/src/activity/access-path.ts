import type { Id } from '@notify/contracts'
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { ActivityFilter } from './activity-filter.ts'
import { kindOf } from './kind-sql.ts'

/** A condition, or a list of them that all apply. */
export type Condition = RawBuilder<boolean>

export const all = (conditions: readonly Condition[]): Condition => sql<boolean>`${sql.join(conditions, sql` and `)}`

/**
 * How a filter reaches its rows: each row of `sources` is a range of one index, in the order of the list. Without sources the
 * whole tenant is one range.
 */
export interface AccessPath {
  sources?: RawBuilder<unknown>
  /** Conditions on `activity a`, and on a row `s` of the sources. */
  conditions: Condition[]
}

/** Chooses the index. Whatever it does not cover is compared row by row. */
export function accessPath(filter: ActivityFilter): AccessPath {
  if (filter.recipientIndex !== undefined) return byRecipient(filter, filter.recipientIndex)
  if (filter.broadcastId !== undefined) return byBroadcast(filter, filter.broadcastId)
  if (filter.digestId !== undefined) return byDigest(filter, filter.digestId)
  const { tenantId, eventKey, locale } = filter
  const dimensions = dimensionsOf(filter)
  const tenant = sql`${tenantId}::text`
  if (eventKey !== undefined) {
    const event = sql`${eventKey}::text`
    return {
      sources: kindsSql(tenantId, eventKey, dimensions),
      conditions: [
        sql<boolean>`${kindOf('a', undefined, sql.ref('a.event_key'))} = ${kindOf('s', tenant, event)}`,
        sql<boolean>`a.event_key is not null`,
        ...isIn(locale),
      ],
    }
  }
  if (locale !== undefined) {
    const language = sql`${locale}::text`
    return {
      sources: kindsSql(tenantId, '', dimensions),
      conditions: [
        sql<boolean>`${kindOf('a', undefined, sql.ref('a.locale'))} = ${kindOf('s', tenant, language)}`,
        sql<boolean>`a.locale is not null`,
      ],
    }
  }
  if (dimensions.length === 0) return { conditions: [sql<boolean>`a.tenant_id = ${tenantId}`] }
  return {
    sources: kindsSql(tenantId, '', dimensions),
    conditions: [sql<boolean>`${kindOf('a')} = ${kindOf('s', tenant)}`],
  }
}

/** A tenant's key makes the blind index, so the tenant needs no comparison. */
function byRecipient(filter: ActivityFilter, recipientIndex: string): AccessPath {
  return {
    conditions: [
      isOfRecipient(sql.ref('a.recipient_index'), recipientIndex),
      ...dimensionsOf(filter, 'a'),
      ...rest(filter),
    ],
  }
}

/** Only a broadcast of the tenant's has items of the tenant. */
function byBroadcast(filter: ActivityFilter, broadcastId: Id<'bc'>): AccessPath {
  const conditions = [sql<boolean>`a.broadcast_id = ${broadcastId}`, sql<boolean>`a.tenant_id = ${filter.tenantId}`]
  return { conditions: [...conditions, ...dimensionsOf(filter, 'a'), ...rest({ ...filter, broadcastId: undefined })] }
}

/** The same of a digest. */
function byDigest(filter: ActivityFilter, digestId: Id<'dig'>): AccessPath {
  const conditions = [sql<boolean>`a.digest_id = ${digestId}`, sql<boolean>`a.tenant_id = ${filter.tenantId}`]
  return { conditions: [...conditions, ...dimensionsOf(filter, 'a'), ...rest({ ...filter, digestId: undefined })] }
}

/** What is compared row by row. */
const rest = ({ eventKey, locale, broadcastId, digestId }: ActivityFilter): Condition[] => [
  ...(eventKey === undefined ? [] : [sql<boolean>`a.event_key = ${eventKey}`]),
  ...(broadcastId === undefined ? [] : [sql<boolean>`a.broadcast_id = ${broadcastId}`]),
  ...(digestId === undefined ? [] : [sql<boolean>`a.digest_id = ${digestId}`]),
  ...isIn(locale),
]

const isIn = (locale: string | undefined): Condition[] =>
  locale === undefined ? [] : [sql<boolean>`a.locale = ${locale}`]

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
