import type { UsageItem } from './queries.ts'

/** @returns the filters of the activity for the messages that an item of the usage counts */
export function messagesOf({ period, application_id, channel }: UsageItem): Record<string, string> {
  const [year = 0, month = 1, day] = period.split('-').map(Number)
  const [from, to] =
    day === undefined
      ? [Date.UTC(year, month - 1), Date.UTC(year, month)]
      : [Date.UTC(year, month - 1, day), Date.UTC(year, month - 1, day + 1)]
  const [first, end] = [new Date(from).toISOString(), new Date(to).toISOString()]
  return { channel, mode: 'live', application_id, from: first, to: end }
}
