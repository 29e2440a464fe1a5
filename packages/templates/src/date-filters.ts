import type { FilterImplOptions } from 'liquidjs'
import { formatOf, formatter, requireZone } from './locale-filters.ts'

type Filter = Extract<FilterImplOptions, (...args: never[]) => unknown>

const names = ['date', 'date_to_long_string', 'date_to_rfc822', 'date_to_string', 'date_to_xmlschema']

/** Liquid's filters of dates. They write in English, in the time zone of the recipient. */
export function dateFilters(filters: Record<string, FilterImplOptions>): Record<string, Filter> {
  const inZone = Object.fromEntries(names.map((name) => [name, inZoneOfRecipient(filters[name]!)]))
  return { ...inZone, date: withCheckedArguments(inZone.date!) }
}

function inZoneOfRecipient(filter: FilterImplOptions): Filter {
  if (typeof filter !== 'function') throw new Error('a filter of Liquid is not what it was')
  return function (value: unknown, ...args) {
    const moment = momentOf(value, formatOf(this).timeZone)
    // Liquid returns what is no date.
    if (!moment || Number.isNaN(moment.at.getTime())) return filter.call(this, value, ...args)
    // Given the name, Liquid would make two formatters for each date.
    const opts = { ...this.context.opts, timezoneOffset: minutesBehindUtc(moment) }
    const context = Object.assign(Object.create(this.context), { opts })
    return filter.call({ ...this, context }, moment.at, ...args)
  }
}

interface Moment {
  at: Date
  /** Where it is shown. */
  timeZone: string
}

const longestMoment = 100
/** The end of a time that has a zone, as `Date` reads it: 10:00Z, 10:00 +0100, 10:00 GMT. */
const ownZone =
  /(?:\d ?z|utc?|gmt|[ecmp][sd]t|:\d\d(?:\.\d{1,9})?(?: ?[ap]m)? ?(?:utc?|gmt)?[+-]\d\d(?::?\d\d)?)(?: \([^()]{1,60}\))?$/i

/** Reads a date as Liquid does, except that a text without a zone is a time on the wall, which no zone moves. */
function momentOf(value: unknown, timeZone: string): Moment | undefined {
  if (typeof value === 'number') return { at: new Date(value * 1000), timeZone }
  if (typeof value !== 'string' || value.length > longestMoment) return undefined
  const text = value.trim()
  if (text === 'now' || text === 'today') return { at: new Date(), timeZone }
  if (/^\d+$/.test(text)) return { at: new Date(Number(text) * 1000), timeZone }
  if (ownZone.test(text)) return { at: new Date(text), timeZone }
  // After a T, `Date` takes no name of a zone.
  return { at: new Date(`${text.replace(/(?<=\d)T(?=\d)/i, ' ')} UTC`), timeZone: 'UTC' }
}

function minutesBehindUtc({ at, timeZone }: Moment): number {
  if (timeZone === 'UTC') return 0
  const parts = formatter(Intl.DateTimeFormat, 'en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at)
  const name = parts.find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? ['', '+', 0, 0]
  return (sign === '-' ? 1 : -1) * (60 * Number(hours) + Number(minutes))
}

const longestFormat = 100
const widthOfDate = /%[-_0^#:]*\d{3}/
/** Liquid would write these in the language of the process. */
const fixedForms: Record<string, string> = {
  '%c': '%-m/%-d/%Y, %-I:%M:%S %p',
  '%x': '%-m/%-d/%Y',
  '%X': '%-I:%M:%S %p',
}

function withCheckedArguments(date: Filter): Filter {
  return function (value, format, zone, ...rest) {
    const text = String(format ?? '')
    if (text.length > longestFormat) throw new Error(`the format of a date has at most ${longestFormat} characters`)
    if (widthOfDate.test(text)) throw new Error('a part of a date has at most 99 digits')
    if (typeof zone === 'string') requireZone(zone)
    const fixed = typeof format === 'string' ? text.replace(/%[%cxX]/g, (part) => fixedForms[part] ?? part) : format
    return date.call(this, value, fixed, zone, ...rest)
  }
}
