/** What of a text no carrier takes; the request held none of it, but a template's filters can make it. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character'
  if (!text.isWellFormed()) return 'contains half of a character: a lone surrogate'
  return undefined
}

/** The first text with a {@link textFault} in JSON, as `<path> that <fault>`; keys are those of the template. */
export function faultInside(value: unknown, path: string): string | undefined {
  if (typeof value === 'string') {
    const fault = textFault(value)
    return fault && `${path} that ${fault}`
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = faultInside(child, `${path}.${key}`)
    if (found) return found
  }
  return undefined
}
