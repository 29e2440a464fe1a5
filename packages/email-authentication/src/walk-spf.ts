import type { Lookup } from './lookup.ts'
import { type Directive, isSpf, parseSpf, SpfFault } from './parse-spf.ts'

/** Maximum terms with DNS lookups, over all records (RFC 7208, 4.6.4). */
const mostLookups = 10
const mostVoidLookups = 2
const mostMxNames = 10
const asking = new Set(['include', 'a', 'mx', 'ptr', 'exists'])

/** How a record treats the required name. */
export interface SpfReading {
  /** Whether messages from its servers pass. */
  includes: boolean
  /** Why they do not, although it is included. */
  hidden?: 'after all' | 'qualifier'
  lookups: number
}

interface Walk extends SpfReading {
  lookup: Lookup
  wanted: string
  voids: number
}

/**
 * Walks a record and its includes as for a message that only the last term matches, which takes the most lookups.
 * The library mailauth stops at the first match.
 * @param wanted the name that must be included, lower-case
 * @throws SpfFault where an evaluation would end in permerror or temperror (RFC 7208, 2.6)
 */
export async function walkSpf(lookup: Lookup, name: string, record: string, wanted: string): Promise<SpfReading> {
  const walk: Walk = { lookup, wanted, includes: false, lookups: 0, voids: 0 }
  await readRecord(walk, name, record, true)
  return walk
}

/** @param passes whether a match in this record is a pass of the whole */
async function readRecord(walk: Walk, name: string, record: string, passes: boolean): Promise<void> {
  const { directives, redirect } = parseSpf(record)
  const end = directives.findIndex(({ mechanism }) => mechanism === 'all')
  const read = end === -1 ? directives : directives.slice(0, end)
  for (const directive of read) await readDirective(walk, name, directive, passes)
  if (directives.slice(read.length).some(({ target }) => target === walk.wanted)) walk.hidden ??= 'after all'
  if (redirect === undefined || end !== -1) return
  countLookup(walk)
  await follow(walk, targetIn(redirect, name), `redirect=${redirect}`, passes)
}

async function readDirective(walk: Walk, name: string, directive: Directive, passes: boolean): Promise<void> {
  const { mechanism, qualifier } = directive
  if (!asking.has(mechanism)) return
  countLookup(walk)
  const target = targetIn(directive.target ?? name, name)
  // Terms that depend on the message are counted, but not followed.
  if (target === undefined || mechanism === 'ptr') return
  if (mechanism === 'include') return follow(walk, target, `include:${target}`, passes && qualifier === '+')
  const term = `${mechanism}:${target}`
  const answer = mechanism === 'mx' ? await walk.lookup.mx(target) : await walk.lookup.addresses(target)
  if (answer.kind === 'trouble') throw new SpfFault('temperror', `${term}: ${answer.reason}`)
  if (answer.kind === 'absent' && ++walk.voids > mostVoidLookups) {
    throw new SpfFault(
      'permerror',
      `more than ${mostVoidLookups} of its terms name what does not exist, the last one ${term}`,
    )
  }
  if (mechanism === 'mx' && answer.kind === 'records' && answer.records.length > mostMxNames) {
    throw new SpfFault('permerror', `${term} has more than ${mostMxNames} mail servers`)
  }
}

async function follow(walk: Walk, target: string | undefined, term: string, passes: boolean): Promise<void> {
  if (target === undefined) return
  const isWanted = target === walk.wanted
  if (isWanted && passes) walk.includes = true
  if (isWanted && !passes) walk.hidden ??= 'qualifier'
  const answer = await walk.lookup.txt(target)
  const records = answer.kind === 'records' ? answer.records.filter(isSpf) : []
  if (records.length === 1) return readRecord(walk, target, records[0]!, passes)
  // Faults of our own record are not the domain's.
  if (isWanted) return
  if (answer.kind === 'trouble') throw new SpfFault('temperror', `${term}: ${answer.reason}`)
  const what = records.length === 0 ? 'there is no SPF record' : 'there are several SPF records'
  throw new SpfFault('permerror', `${term} leads to a name where ${what}`)
}

function countLookup(walk: Walk): void {
  walk.lookups++
  if (walk.lookups > mostLookups) {
    throw new SpfFault('permerror', `with all that it includes it takes more than ${mostLookups} DNS lookups`)
  }
}

/** The name of a term; undefined when it depends on the message. */
function targetIn(spec: string, name: string): string | undefined {
  const expanded = spec.replaceAll(/%\{[do]\}/gi, name)
  return expanded.includes('%') ? undefined : expanded
}
