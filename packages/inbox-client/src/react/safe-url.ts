/** An address of display data, if a link to it is safe: http, https or a path of this page's origin. */
export function safeUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  try {
    const { protocol } = new URL(value, 'https://relative.invalid')
    return protocol === 'https:' || protocol === 'http:' ? value : undefined
  } catch {
    return undefined
  }
}
