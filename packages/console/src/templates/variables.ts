import { digestNames, linkNames } from '@notify/contracts/given-variables'
import { type VariablePath, variablesOf } from '@notify/templates/variables'
import type { Templates } from '../channels/channel.ts'
import { channelPages, channels } from '../channels/table.ts'

export interface Around {
  /** The texts around those of an email. */
  layout?: { html_body: string; body?: string } | undefined
  /** Whether the service gives the variables of a digest. */
  hasDigest?: boolean | undefined
}

/**
 * The caller's variables of the templates, each once, by name. The preview shows the error of a text that cannot be
 * parsed.
 */
export function variablesIn(templates: Templates, { layout, hasDigest = false }: Around = {}): VariablePath[] {
  const given: readonly unknown[] = hasDigest ? [...linkNames, ...digestNames] : linkNames
  const found = new Map<string, VariablePath>()
  const liquid = channels.map((channel) => {
    const template = templates[channel]
    return template && (channelPages[channel].liquidOf?.(template) ?? template)
  })
  const read = hasDigest ? variablesOfItems : variablesOf
  for (const text of textsOf(liquid)) {
    for (const path of read(text)) found.set(nameOf(path), path)
  }
  for (const text of layout ? [layout.html_body, layout.body ?? ''] : [])
    for (const path of variablesOf(text)) if (path[0] !== 'content') found.set(nameOf(path), path)
  const own = [...found.entries()].filter(([, [name]]) => !given.includes(name))
  return own.sort(([a], [b]) => a.localeCompare(b)).map(([, path]) => path)
}

/** A loop over the items of a digest, up to its variable. */
const itemLoop = /(\{%-?\s*for\s+)(\w+)(?=\s+in\s+items\b)/g

/** Whether what follows `items` is one of them: a position, or Liquid's name for an end of the list. */
const isItem = (part: string | number | undefined) => typeof part === 'number' || part === 'first' || part === 'last'

/** The variables of a digest's template. What it reads of an item is what the caller gives with each message. */
function variablesOfItems(text: string): VariablePath[] {
  const loopVariables = new Set<unknown>()
  // With another variable in the loop, what is read of the item counts as read from outside.
  const opened = text.replaceAll(itemLoop, (_loop, start: string, name: string) => {
    loopVariables.add(name)
    return `${start}each_${name}`
  })
  return variablesOf(opened)
    .map((path) => {
      if (loopVariables.has(path[0])) return path.slice(1)
      return path[0] === 'items' && isItem(path[1]) ? path.slice(2) : path
    })
    .filter(([first]) => typeof first === 'string')
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** `items[0].name` */
export function nameOf(path: VariablePath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')
}

type Sample = Record<string, unknown>

/** Sample data: the given values, and for every other variable its name in brackets. */
export function sampleFor(paths: readonly VariablePath[], given: Sample = {}): Sample {
  const sample: Sample = {}
  // The deepest first, because `order.id` implies `order`.
  for (const path of [...paths].sort((a, b) => b.length - a.length)) place(sample, path)
  return merge(sample, given) as Sample
}

function place(root: Sample, path: VariablePath): void {
  let target = root as Record<string | number, unknown>
  path.forEach((part, at) => {
    const isLast = at === path.length - 1
    if (!Object.hasOwn(target, part)) {
      const value = isLast ? `[${nameOf(path)}]` : typeof path[at + 1] === 'number' ? [] : {}
      Object.defineProperty(target, part, { value, enumerable: true, writable: true, configurable: true })
    }
    target = target[part] as typeof target
  })
}

const isObject = (value: unknown): value is Sample =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function merge(sample: unknown, given: unknown): unknown {
  if (!isObject(sample) || !isObject(given)) return given
  const merged = Object.entries(given).map(([name, value]) => [name, merge(sample[name], value)] as const)
  return { ...sample, ...Object.fromEntries(merged) }
}
