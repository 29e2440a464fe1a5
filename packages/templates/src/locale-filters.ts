import { isKnownZone } from '@notify/contracts/time-zone'
import type { Context, Filter, Template, Value } from 'liquidjs'
import { defaultFormat, type Format, formatKey } from './format.ts'
import { objectPrinted } from './plain-template.ts'
import { createTemplateCache } from './template-cache.ts'

/** What Liquid binds a filter to. */
interface FilterImpl {
  context: Context
}

/** Liquid passes a named argument as its name and value. */
type Argument = string | number | [string, unknown]
type LocaleFilter = (this: FilterImpl, value: unknown, ...args: Argument[]) => string

/** Making a formatter takes some hundred times as long as using it, and its memory is outside of the heap. */
const formatters = createTemplateCache<object>({ maxEntries: 100, maxBytes: Number.MAX_SAFE_INTEGER })

export function formatter<T extends object, O>(
  kind: new (locale: string, options: O) => T,
  locale: string,
  options: O,
): T {
  const key = `${kind.name} ${locale} ${JSON.stringify(options)}`
  const known = formatters.get(key)
  if (known) return known as T
  const made = new kind(locale, options)
  formatters.set(key, made, 1)
  return made
}

export const formatOf = ({ context }: FilterImpl): Format =>
  (context.globals as { [formatKey]?: Format })[formatKey] ?? defaultFormat

function printed(value: unknown): string {
  if (typeof value === 'object' && value !== null) throw new Error(objectPrinted)
  return String(value ?? '')
}

/** The named arguments. @param most how many others there may be @throws Error for an unknown name, and for more of the others */
function namedOf(
  filter: string,
  args: readonly Argument[],
  names: readonly string[],
  most = 0,
): Record<string, unknown> {
  if (args.filter((one) => !Array.isArray(one)).length > most)
    throw new Error(`the filter ${filter} takes ${most === 0 ? 'no argument' : 'one argument'} without a name`)
  const named = Object.fromEntries(args.filter((one) => Array.isArray(one)))
  const unknown = Object.keys(named).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`the filter ${filter} knows ${names.join(', ')}, and not ${unknown}`)
  return named
}

interface Amount {
  /** A text keeps all its digits. */
  value: number | Intl.StringNumericLiteral
  /** Digits after the point of a text: `1.50` has two. */
  fraction: number
}

/** Longer ones take the formatter quadratic time. */
const numeric = /^-?\d{1,30}(?:\.(\d{1,20}))?$/

function amountOf(filter: string, value: unknown): Amount {
  if (typeof value === 'number' && Number.isFinite(value)) return { value, fraction: 0 }
  const found = typeof value === 'string' ? numeric.exec(value.trim()) : null
  if (!found) throw new Error(`the filter ${filter} takes a number, as 1500 or "0.50"`)
  return { value: found[0] as Intl.StringNumericLiteral, fraction: found[1]?.length ?? 0 }
}

const mostDigits = 20

function digitsOf(filter: string, given: unknown): number {
  const digits = Number(given)
  if (Number.isInteger(digits) && digits >= 0 && digits <= mostDigits) return digits
  throw new Error(`the filter ${filter} takes 0 to ${mostDigits} digits`)
}

const styles: Record<string, Intl.NumberFormatOptions> = {
  decimal: {},
  percent: { style: 'percent' },
  compact: { notation: 'compact' },
}

const number: LocaleFilter = function (value, ...args) {
  const { digits, style = 'decimal' } = namedOf('number', args, ['digits', 'style'])
  if (typeof style !== 'string' || !Object.hasOwn(styles, style))
    throw new Error(`the style of a number is ${Object.keys(styles).join(', ')}`)
  const amount = amountOf('number', value)
  const fixed = digits === undefined ? undefined : digitsOf('number', digits)
  return writeNumber(formatOf(this).locale, amount, styles[style]!, fixed)
}

function writeNumber(locale: string, { value, fraction }: Amount, style: Intl.NumberFormatOptions, digits?: number) {
  const kept = digits ?? (style.style === 'percent' || fraction === 0 ? undefined : fraction)
  const places = kept === undefined ? {} : { minimumFractionDigits: kept, maximumFractionDigits: kept }
  return formatter(Intl.NumberFormat, locale, { ...style, ...places }).format(value)
}

const currency: LocaleFilter = function (value, ...args) {
  const { digits } = namedOf('currency', args, ['digits'], 1)
  const [code] = args
  if (typeof code !== 'string' || !/^[A-Za-z]{3}$/.test(code))
    throw new Error('the filter currency takes a code of ISO 4217, as "EUR"')
  const fixed = digits === undefined ? undefined : digitsOf('currency', digits)
  const places = fixed === undefined ? {} : { minimumFractionDigits: fixed, maximumFractionDigits: fixed }
  const options = { style: 'currency', currency: code.toUpperCase(), ...places } as const
  return formatter(Intl.NumberFormat, formatOf(this).locale, options).format(amountOf('currency', value).value)
}

/** The plural categories of CLDR. */
const pluralForms = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
const otherMissing = 'the filter plural requires the form other'

const plural: LocaleFilter = function (value, ...args) {
  const { ordinal = false, ...forms } = namedOf('plural', args, [...pluralForms, 'ordinal'])
  if (forms.other === undefined) throw new Error(otherMissing)
  if (typeof ordinal !== 'boolean') throw new Error('ordinal of the filter plural is true or false')
  const amount = amountOf('plural', value)
  const { locale } = formatOf(this)
  const type = ordinal ? 'ordinal' : 'cardinal'
  const rules = formatter(Intl.PluralRules, locale, { type, minimumFractionDigits: amount.fraction })
  const form = printed(forms[rules.select(Number(amount.value))] ?? forms.other)
  const written = form.includes('#') ? writeNumber(locale, amount, {}) : ''
  this.context.memoryLimit.use(form.length * (written.length + 1))
  return form.replace(/##|#/g, (found) => (found === '##' ? '#' : written))
}

const lengths = ['full', 'long', 'medium', 'short', 'none']

const dateTime: LocaleFilter = function (value, ...args) {
  const { time, zone } = namedOf('date_time', args, ['time', 'zone'], 1)
  const [date = 'medium'] = args.filter((one) => !Array.isArray(one))
  if (zone !== undefined && zone !== null) requireZone(zone)
  const { at, timeZone, hasTime } = momentOf(value, String(zone ?? formatOf(this).timeZone))
  const wanted = { dateStyle: date, timeStyle: time ?? (hasTime ? 'short' : 'none') }
  if (Object.values(wanted).some((one) => !lengths.includes(String(one))))
    throw new Error(`the filter date_time takes ${lengths.join(', ')} for the date, and as time: for the time`)
  const shown = Object.entries(wanted).filter(([, length]) => length !== 'none')
  if (shown.length === 0) return ''
  const options: Intl.DateTimeFormatOptions = { ...Object.fromEntries(shown), timeZone }
  return formatter(Intl.DateTimeFormat, formatOf(this).locale, options).format(at)
}

const isoMoment = /^\d{4}-\d\d-\d\d(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i

/** The moment that a value names. A text without a zone is a time on the wall, which no zone moves. */
function momentOf(value: unknown, timeZone: string): { at: Date; timeZone: string; hasTime: boolean } {
  if (value === 'now') return { at: new Date(), timeZone, hasTime: true }
  if (typeof value === 'number') return valid({ at: new Date(value * 1000), timeZone, hasTime: true })
  const [text, time, offset] = (typeof value === 'string' ? isoMoment.exec(value.trim()) : null) ?? []
  if (text === undefined || !isDay(text.slice(0, 10))) throw new Error(momentWrong)
  if (offset !== undefined) return valid({ at: new Date(text), timeZone, hasTime: true })
  const at = new Date(time === undefined ? text : `${text.replace(' ', 'T')}Z`)
  return valid({ at, timeZone: 'UTC', hasTime: time !== undefined })
}

/** Whether the calendar has the day: `Date` takes February 30 for March 2. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

const momentWrong = 'the filter date_time takes a time in ISO 8601, as "2026-11-21T09:30:00Z", or Unix seconds'

/** Takes more than the IANA database has: stored templates name such zones. @throws Error for an unknown one */
export function requireZone(zone: unknown): void {
  if (!isKnownZone(String(zone))) throw new Error('a time zone is one of the IANA database, as "Europe/Berlin"')
}

function valid<M extends { at: Date; timeZone: string }>(moment: M): M {
  if (Number.isNaN(moment.at.getTime())) throw new Error(momentWrong)
  return moment
}

const listTypes: Record<string, Intl.ListFormatOptions> = { and: {}, or: { type: 'disjunction' } }

const list: LocaleFilter = function (value, ...args) {
  namedOf('list', args, [], 1)
  const [type = 'and'] = args
  if (typeof type !== 'string' || !Object.hasOwn(listTypes, type))
    throw new Error('the filter list takes "and" or "or"')
  if (!Array.isArray(value)) throw new Error('the filter list takes a list')
  this.context.memoryLimit.use(value.length)
  const items = value.map(printed)
  this.context.memoryLimit.use(items.reduce((sum, { length }) => sum + length, 0))
  return formatter(Intl.ListFormat, formatOf(this).locale, listTypes[type]!).format(items)
}

/** The filters that write in the language of the recipient, by name. */
export const localeFilters = { currency, date_time: dateTime, list, number, plural }

/** What is wrong with the forms of a `plural` in a step, known before it is rendered. */
export function pluralFault(step: Template): string | undefined {
  const { value } = step as { value?: Value }
  const filters: readonly Filter[] = value?.filters ?? []
  const isWrong = filters.some(
    ({ name, args }) => name === 'plural' && !args.some((one) => Array.isArray(one) && one[0] === 'other'),
  )
  return isWrong ? otherMissing : undefined
}
