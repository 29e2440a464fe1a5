import { CaptureTag, type Context, type FilterImplOptions, filters, Liquid, LiquidTag, type Template } from 'liquidjs'
import { localeFilters } from './locale-filters.ts'
import { objectPrinted } from './plain-template.ts'
import { renderLimitMs } from './template-limits.ts'

interface EngineOptions {
  /** Maximum template length, in UTF-16 code units. */
  parseLimit: number
  /** Whether values are HTML-escaped. */
  escapes: boolean
}

/** Limit of characters and items that filters create. */
const memoryLimit = 1_000_000

/** Tags that read other templates. */
const removedTags = ['include', 'render', 'layout', 'block']

/**
 * The available filters: Liquid's own, and Jekyll's for dates, lists and JSON. Excluded: `raw`, which undoes escaping;
 * `concat`, `push` and `group_by`, which build huge lists; `_exp` filters, which ignore the time limit.
 */
const keptFilters = new Set(
  `abs append array_to_sentence_string at_least at_most base64_decode base64_encode capitalize ceil compact date
  date_to_long_string date_to_rfc822 date_to_string date_to_xmlschema default divided_by downcase escape escape_once find
  find_index first floor has join json jsonify last lstrip map minus modulo newline_to_br normalize_whitespace
  number_of_words plus prepend reject remove remove_first remove_last replace replace_first replace_last reverse round
  rstrip size slice sort sort_natural split strip strip_html strip_newlines sum times truncate truncatewords uniq upcase
  url_decode url_encode where`.split(/\s+/),
)

/** Filters that parse a property name for each item, so the name must be short. */
const propertyFilters = ['find', 'find_index', 'has', 'map', 'reject', 'sort', 'sort_natural', 'sum', 'where']
const longestProperty = 100

/** Liquid for untrusted templates: no files, bounded work, own properties only; undefined variables are errors. */
export function createEngine({ parseLimit, escapes }: EngineOptions): Liquid {
  const engine = new Liquid({
    templates: {},
    // Otherwise months and weekdays are in the language of the process.
    locale: 'en-US',
    strictVariables: true,
    lenientIf: true,
    strictFilters: true,
    ownPropertyOnly: true,
    outputEscape: escapes ? escaped : (printable as Output),
    parseLimit,
    renderLimit: renderLimitMs,
    memoryLimit,
  })
  for (const tag of removedTags) delete engine.tags[tag]
  for (const filter of Object.keys(engine.filters)) if (!keptFilters.has(filter)) delete engine.filters[filter]
  for (const filter of propertyFilters)
    engine.registerFilter(filter, withShortProperty(engine.filters[filter]!, filter))
  for (const filter of lastFilters) engine.registerFilter(filter, withShortPattern(engine.filters[filter]!, filter))
  for (const filter of ['divided_by', 'modulo'])
    engine.registerFilter(filter, withDivisor(engine.filters[filter]!, filter))
  engine.registerFilter('split', byCharacters(engine.filters.split!))
  engine.registerFilter('size', characters)
  for (const [name, filter] of Object.entries(localeFilters)) engine.registerFilter(name, filter as FilterImplOptions)
  // These return HTML, which must not be escaped again.
  if (escapes)
    for (const [filter, handler] of Object.entries(htmlFilters)) engine.registerFilter(filter, { handler, raw: true })
  engine.registerTag('capture', CountedCapture)
  engine.registerTag('liquid', FlatLiquid)
  return engine
}

/** Liquid's conversion of a value to text. */
type Output = (this: unknown, value: unknown) => string

/** The printed form of a value. @throws Error for objects, also in lists: they would print `[object Object]` */
function printable(value: unknown): unknown {
  if (Array.isArray(value)) value.forEach(printable)
  else if (isPlainObject(value)) throw new Error(objectPrinted)
  return value
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

const escapeFilter = filters.escape as Output

function escaped(this: unknown, value: unknown): string {
  return escapeFilter.call(this, printable(value))
}

const escapeOnceFilter = filters.escape_once as Output
const breakFilter = filters.newline_to_br as Output

const htmlFilters: Record<string, Output> = {
  escape: escaped,
  escape_once(value) {
    return escapeOnceFilter.call(this, printable(value))
  },
  newline_to_br(value) {
    return breakFilter.call(this, escapeOnceFilter.call(this, printable(value)))
  },
}

function withShortProperty(filter: FilterImplOptions, name: string): FilterImplOptions {
  return wrap(filter, (next, value, property, ...rest) => {
    const isShort = typeof property === 'string' ? property.length <= longestProperty : typeof property !== 'object'
    if (!isShort && property !== null) throw new Error(`the filter ${name} takes the name of a property`)
    return next(value, property, ...rest)
  })
}

/** Filters that search backwards and compare at each position, so the search text must be short. */
const lastFilters = ['remove_last', 'replace_last']
const longestPattern = 100

function withShortPattern(filter: FilterImplOptions, name: string): FilterImplOptions {
  return wrap(filter, (next, value, pattern, ...rest) => {
    if (String(pattern).length > longestPattern)
      throw new Error(`the filter ${name} looks for at most ${longestPattern} characters`)
    return next(value, pattern, ...rest)
  })
}

/** JavaScript would print Infinity or NaN. */
function withDivisor(filter: FilterImplOptions, name: string): FilterImplOptions {
  return wrap(filter, (next, value, ...args) => {
    const result = next(value, ...args)
    if (!Number.isFinite(result)) throw new Error(`the filter ${name} cannot divide by zero`)
    return result
  })
}

/** `split: ""` splits by code points, as Ruby does; JavaScript would split surrogate pairs. */
function byCharacters(filter: FilterImplOptions): FilterImplOptions {
  return wrap(filter, (next, value, separator, ...rest) => {
    const parts = next(value, separator, ...rest) as string[]
    return separator === '' ? Array.from(parts.join('')) : parts
  })
}

/** `size` counts code points, as `slice` and `truncate` do. */
function characters(value: unknown): number {
  if (typeof value !== 'string') return (value as { length?: number } | null | undefined)?.length ?? 0
  let count = 0
  for (const _ of value) count++
  return count
}

type Call = (value: unknown, ...args: unknown[]) => unknown

function wrap(
  filter: FilterImplOptions,
  around: (next: Call, value: unknown, ...args: unknown[]) => unknown,
): FilterImplOptions {
  if (typeof filter !== 'function') throw new Error('a filter of Liquid is not what it was')
  return function (value: unknown, ...args: unknown[]) {
    return around((...all) => filter.call(this, ...(all as [unknown, ...unknown[]])), value, ...args)
  }
}

/** The `liquid` tag without nesting: each level would parse the rest of the text again. */
class FlatLiquid extends LiquidTag {
  constructor(...args: ConstructorParameters<typeof LiquidTag>) {
    if (FlatLiquid.#isOpen) throw new Error('liquid stands in liquid')
    FlatLiquid.#isOpen = true
    try {
      super(...args)
    } finally {
      FlatLiquid.#isOpen = false
    }
  }

  static #isOpen = false
}

/** The `capture` tag, counted against the memory limit. */
class CountedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    const captured = (context.bottom() as Record<string, unknown>)[this.variable]
    context.memoryLimit.use(String(captured).length)
  }
}

/** Whether blocks nest deeper than this many levels. */
export function nestsDeeperThan(levels: number, templates: readonly Template[]): boolean {
  return templates.some((template) => {
    const inner = childrenOf(template)
    return inner.length > 0 && (levels === 0 || nestsDeeperThan(levels - 1, inner))
  })
}

/** The first fault that `find` knows of in the steps and what they contain. */
export function faultWithin(
  templates: readonly Template[],
  find: (step: Template) => string | undefined,
): string | undefined {
  for (const template of templates) {
    const fault = find(template) ?? faultWithin(childrenOf(template), find)
    if (fault !== undefined) return fault
  }
  return undefined
}

function childrenOf(template: Template): Template[] {
  const step = template.children?.(false, true).next()
  return step?.done ? step.value : []
}
