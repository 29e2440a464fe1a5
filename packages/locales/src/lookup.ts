/**
 * The locales that a lookup tries for one, from the most to the least specific (RFC 4647, 3.4).
 * @param locale canonical BCP 47
 * @example lookupChain('zh-Hant-CN-x-private1-private2')
 * // ['zh-Hant-CN-x-private1-private2', 'zh-Hant-CN-x-private1', 'zh-Hant-CN', 'zh-Hant', 'zh']
 */
export function lookupChain(locale: string): string[] {
  const chain: string[] = []
  const subtags = locale.split('-')
  while (subtags.length > 0) {
    chain.push(subtags.join('-'))
    subtags.pop()
    // A singleton introduces what was removed, and means nothing alone.
    while (subtags.at(-1)?.length === 1) subtags.pop()
  }
  return chain
}

/**
 * The available locales that suit a priority list, best first: the chain of its first locale, then that of the next.
 * @param wanted canonical, in order of priority
 * @param has whether a canonical locale is available
 */
export function lookUp(wanted: readonly string[], has: (locale: string) => boolean): string[] {
  return [...new Set(wanted.flatMap(lookupChain))].filter(has)
}
