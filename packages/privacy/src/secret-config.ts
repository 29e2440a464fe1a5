/** 32 bytes in base64; checked, because Node's decoder ignores invalid characters. */
export const base64Key = /^[A-Za-z0-9+/_-]{43}=?$/

/** Parses a base64 key of 32 bytes. @throws Error without the value */
export function parseKey(text: string): Buffer {
  if (!base64Key.test(text.trim())) throw new Error('must be the base64 of 32 bytes')
  return Buffer.from(text, 'base64')
}

/** Turns a parser that throws into a zod transform, for a service's configuration. */
export function parsedBy<T>(parse: (text: string) => T) {
  return (text: string, issues: { addIssue(issue: { code: 'custom'; message: string }): void }): T => {
    try {
      return parse(text)
    } catch (error) {
      issues.addIssue({ code: 'custom', message: (error as Error).message })
      return undefined as never
    }
  }
}
