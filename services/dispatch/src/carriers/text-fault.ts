/** What of a text no carrier takes; the request held none of it, but a template's filters can make it. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  if (!text.isWellFormed()) return 'contains half of a character: a lone surrogate'
  return undefined
}
