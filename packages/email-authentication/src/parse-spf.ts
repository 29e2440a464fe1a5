import { isIPv4, isIPv6 } from 'node:net'

/** An evaluation that ends without a result: permanently (`permerror`) or temporarily (`temperror`). */
export class SpfFault extends Error {
  override name = 'SpfFault'
  readonly kind: 'permerror' | 'temperror'

  constructor(kind: 'permerror' | 'temperror', reason: string) {
    super(reason)
    this.kind = kind
  }
}

export type Mechanism = 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists'

export interface Directive {
  qualifier: '+' | '-' | '~' | '?'
  mechanism: Mechanism
  /** The domain-spec after the colon, lower-case, without trailing dot. */
  target?: string
}

export interface SpfRecord {
  directives: Directive[]
  redirect?: string
}

/** Whether a TXT record is an SPF record: the version, then a space or the end (RFC 7208, 4.5). */
export function isSpf(text: string): boolean {
  return /^v=spf1( |$)/i.test(text)
}

/** Maximum characters of a term; names have at most 253, and macros are not much longer than their values. */
const longestTerm = 512

const directivePattern = /^([+\-~?])?([a-z0-9]+)(?::([^/]*(?:\/(?![\d/])[^/]*)*))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i
const modifierPattern = /^([a-z][a-z0-9_.-]*)=(.*)$/i
const takesTarget: Record<string, 'never' | 'must' | 'may'> = {
  all: 'never',
  include: 'must',
  exists: 'must',
  a: 'may',
  mx: 'may',
  ptr: 'may',
}

/**
 * Parses the terms of an SPF record.
 * @throws SpfFault `permerror` for the first term that violates the grammar (RFC 7208, 4.6 and 12)
 */
export function parseSpf(text: string): SpfRecord {
  const record: SpfRecord = { directives: [] }
  const seen = new Set<string>()
  for (const term of text.slice('v=spf1'.length).split(' ')) {
    if (term === '') continue
    if (term.length > longestTerm) throw unreadable(term)
    const modifier = modifierPattern.exec(term)
    if (modifier) {
      const name = modifier[1]!.toLowerCase()
      if ((name === 'redirect' || name === 'exp') && seen.has(name)) {
        throw new SpfFault('permerror', `it has ${name}= twice`)
      }
      seen.add(name)
      if (name === 'redirect') record.redirect = targetOf(modifier[2]!, term)
      continue
    }
    record.directives.push(directiveOf(term))
  }
  return record
}

function directiveOf(term: string): Directive {
  const ip = /^([+\-~?])?(ip[46]):(.+)$/i.exec(term)
  if (ip) {
    const mechanism = ip[2]!.toLowerCase() as 'ip4' | 'ip6'
    if (!isNetwork(mechanism, ip[3]!)) throw unreadable(term)
    return { qualifier: qualifierOf(ip[1]), mechanism }
  }
  const [, sign, name = '', target, lengths] = directivePattern.exec(term) ?? []
  const mechanism = name.toLowerCase()
  const rule = takesTarget[mechanism]
  if (!rule || !Object.hasOwn(takesTarget, mechanism)) throw unreadable(term)
  if (target === undefined ? rule === 'must' : rule === 'never') throw unreadable(term)
  if (lengths && ((mechanism !== 'a' && mechanism !== 'mx') || !areLengths(lengths))) throw unreadable(term)
  return {
    qualifier: qualifierOf(sign),
    mechanism: mechanism as Mechanism,
    ...(target === undefined ? {} : { target: targetOf(target, term) }),
  }
}

function qualifierOf(sign: string | undefined): Directive['qualifier'] {
  return (sign ?? '+') as Directive['qualifier']
}

function isNetwork(mechanism: 'ip4' | 'ip6', text: string): boolean {
  const [address = '', length = '0', ...rest] = text.split('/')
  const [isAddress, longest] = mechanism === 'ip4' ? [isIPv4, 32] : [isIPv6, 128]
  return rest.length === 0 && isAddress(address) && /^(0|[1-9]\d{0,2})$/.test(length) && Number(length) <= longest
}

/** Prefix lengths: `/24`, `//64` or both. */
function areLengths(text: string): boolean {
  const [, four = '0', six = '0'] = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(text) ?? []
  const fits = (length: string, longest: number) => !/^0\d/.test(length) && Number(length) <= longest
  return fits(four, 32) && fits(six, 128)
}

const macro = /%(?:%|_|-|\{[slodiphcrtv]\d*r?[.\-+,/_=]*\})/gi

/** A domain-spec: visible characters, known macros, and a non-numeric last label (RFC 7208, 7.1). */
function targetOf(spec: string, term: string): string {
  const plain = spec.replace(macro, '')
  const endsInMacro = spec.endsWith('}') && spec.lastIndexOf('%{') > spec.lastIndexOf('}', spec.length - 2)
  const name = spec.toLowerCase().replace(/\.$/, '')
  const last = name.slice(name.lastIndexOf('.') + 1)
  const isName = /\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(name) && !/^\d+$/.test(last)
  if (!/^[\x21-\x7e]+$/.test(spec) || plain.includes('%') || !(endsInMacro || isName)) throw unreadable(term)
  return name
}

function unreadable(term: string): SpfFault {
  const shown = term.slice(0, 80).replace(/[^\x20-\x7e]/g, '?')
  return new SpfFault('permerror', `the term ${shown} cannot be read`)
}
