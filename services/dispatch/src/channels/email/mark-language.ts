import { directionOf } from '@notify/locales'
import { withoutComments } from './without-comments.ts'

/**
 * HTML that states its language and direction, for screen readers and mail programs. What it states itself stays.
 * @param locale canonical BCP 47
 */
export function markLanguage(html: string, locale: string): string {
  const wanted = [['lang', locale], ...(directionOf(locale) === 'rtl' ? [['dir', 'rtl']] : [])] as const
  const seen = withoutComments(html)
  const root = tagAt(seen, seen.search(/<html[\s>]/i)) ?? tagAt(seen, seen.search(/<body[\s>]/i))
  if (!root) return `<div${attributes(wanted)}>${html}</div>`
  const { from, to } = root
  const tag = html.slice(from, to)
  const missing = wanted.filter(([name]) => !(name === 'lang' ? statesLanguage : statesDirection).test(tag))
  const at = from + '<html'.length
  return `${html.slice(0, at)}${attributes(missing)}${html.slice(at)}`
}

const statesLanguage = /\slang=/i
const statesDirection = /\sdir=/i

function tagAt(html: string, from: number): { from: number; to: number } | undefined {
  const to = from < 0 ? -1 : html.indexOf('>', from)
  return to < 0 ? undefined : { from, to }
}

const attributes = (values: readonly (readonly string[])[]) =>
  values.map(([name, value]) => ` ${name}="${value}"`).join('')
