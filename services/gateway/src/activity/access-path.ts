import type { ActivityFilter } from './activity-filter.ts'
import { kindOf } from './kind-sql.ts'

/** Adds a parameter to a statement, and returns its placeholder. */
export type Bind = (value: unknown) => string

/**
 * How a filter reaches its rows: each row of `sources` is a range of one index, in the order of the list. Without sources the
 * whole tenant is one range.
 */
export interface AccessPath {
  sources?: string
  /** SQL conditions on `activity a`, and on a row `s` of the sources. */
  conditions: string[]
}

/** Chooses the index. Whatever it does not cover is compared row by row. */
export function accessPath(filter: ActivityFilter, bind: Bind): AccessPath {
  if (filter.recipientIndex !== undefined) return byRecipient(filter, bind)
  const tenant = bind(filter.tenantId)
  const dimensions = dimensionsOf(filter, bind)
  if (filter.eventKey !== undefined) {
    const event = bind(filter.eventKey)
    return {
      sources: kindsSql(tenant, event, dimensions),
      conditions: [
        `${kindOf('a', undefined, 'a.event_key')} = ${kindOf('s', `${tenant}::text`, `${event}::text`)}`,
        'a.event_key is not null',
      ],
    }
  }
  if (dimensions.length === 0) return { conditions: [`a.tenant_id = ${tenant}`] }
  return {
    sources: kindsSql(tenant, `''`, dimensions),
    conditions: [`${kindOf('a')} = ${kindOf('s', `${tenant}::text`)}`],
  }
}

/** A tenant's key makes the blind index, so the tenant needs no comparison. */
function byRecipient(filter: ActivityFilter, bind: Bind): AccessPath {
  return {
    conditions: [
      isOfRecipient('a.recipient_index', bind(filter.recipientIndex)),
      ...dimensionsOf(filter, bind).map((condition) => `a.${condition}`),
      ...(filter.eventKey === undefined ? [] : [`a.event_key = ${bind(filter.eventKey)}`]),
    ],
  }
}

/** SQL that is true for the items of a recipient: the index holds a hash of its blind index. */
export function isOfRecipient(column: string, index: string): string {
  return `hashtextextended(${column}, 0) = hashtextextended(${index}::text, 0) and ${column} = ${index}`
}

/** The kinds that have items, as the counters tell. */
function kindsSql(tenant: string, event: string, dimensions: readonly string[]): string {
  const conditions = [`tenant_id = ${tenant}`, `event_key = ${event}`, 'count > 0', ...dimensions]
  return `select application_id, mode, channel, status, retryable from activity_totals where ${conditions.join(' and ')}`
}

/** Conditions on the columns that the counters have too. */
export function dimensionsOf(filter: Omit<ActivityFilter, 'tenantId'>, bind: Bind): string[] {
  const { applicationId, mode, channel, status, retryable } = filter
  const wanted = { application_id: applicationId, mode, channel, status, retryable }
  return Object.entries(wanted).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${bind(value)}`],
  )
}

/** Conditions on the time of `activity a`. */
export function rangeOf({ from, to }: Pick<ActivityFilter, 'from' | 'to'>, bind: Bind): string[] {
  return [
    ...(from ? [`a.created_at >= ${bind(from)}::timestamptz`] : []),
    ...(to ? [`a.created_at < ${bind(to)}::timestamptz`] : []),
  ]
}
