import type { components } from '@notify/sdk'
import type { Channel } from '../../channels/channel.ts'
import { channelNames, channelPages, channels } from '../../channels/table.ts'
import type { Bar, Series } from '../../ui/stacked-bars.tsx'
import type { Filters } from './filters.tsx'
import { type Status, statuses } from './words.ts'

export type Summary = components['schemas']['ActivitySummary']
export type Dimension = 'status' | 'channel'

const statusFills: Record<Status, string> = {
  delivered: 'fill-[var(--chart-2)]',
  verified: 'fill-[var(--chart-5)]',
  sent: 'fill-[var(--chart-1)]',
  queued: 'fill-[var(--chart-4)]',
  scheduled: 'fill-[var(--line-strong)]',
  cancelled: 'fill-[var(--line)]',
  expired: 'fill-[var(--chart-3)]',
  undelivered: 'fill-[var(--chart-6)]',
  failed: 'fill-[var(--bad-solid)]',
}
const channelFills = Object.fromEntries(channels.map((channel) => [channel, channelPages[channel].fill]))

const fills = { status: statusFills, channel: channelFills }
const nameOf = (by: Dimension, value: string) =>
  by === 'status' ? statuses[value as Status].name : channelNames[value as Channel]

/** The bars of a summary, its series and their numbers of items. */
export function barsOf({ buckets, interval }: Summary, by: Dimension) {
  const all = Object.keys(fills[by])
  const rows = buckets.map(({ starts_at, counts }) => ({
    starts_at,
    counts: all.map((value) => counts.reduce((sum, one) => sum + (one[by] === value ? one.count : 0), 0)),
  }))
  const totals = all.map((_, at) => rows.reduce((sum, { counts }) => sum + counts[at]!, 0))
  const present = all.flatMap((_, at) => (totals[at] ? [at] : []))
  return {
    series: present.map((at) => ({
      name: nameOf(by, all[at]!),
      fill: (fills[by] as Record<string, string>)[all[at]!]!,
      total: totals[at]!,
    })) satisfies Series[],
    bars: rows.map(({ starts_at, counts }) => ({
      label: labelOf(starts_at, interval),
      counts: present.map((at) => counts[at]!),
    })) satisfies Bar[],
  }
}

const dayText = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
// The zone distinguishes the two hours with the same time at the end of daylight saving.
const hourText = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** @returns for example `24 hours`; days are those of UTC, hours are shown in the zone of the browser */
export const titleOf = ({ interval, buckets }: Summary): string =>
  `${buckets.length} ${interval}${buckets.length === 1 ? '' : 's'}${interval === 'day' ? ' (UTC)' : ''}`

const labelOf = (startsAt: string, interval: Summary['interval']) =>
  (interval === 'day' ? dayText : hourText).format(new Date(startsAt))

const longestHourlyMs = 72 * 3_600_000

/** Hours for a range of up to three days, else days. */
export function intervalOf({ from, to }: Pick<Filters, 'from' | 'to'>, nowMs: number): Summary['interval'] {
  if (!from) return 'hour'
  const end = to ? Date.parse(to) : nowMs
  return end - Date.parse(from) > longestHourlyMs ? 'day' : 'hour'
}

/** The filters that the summary does not support. */
const listOnly = ['recipient_token', 'event_key', 'locale', 'broadcast_id', 'digest_id'] as const

export const canBeSummarized = (filters: Filters): boolean => listOnly.every((name) => !filters[name])
