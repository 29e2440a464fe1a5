/** Reads a base64 key of 32 bytes. @throws Error when it is not one; the message does not show it */
export function parseKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32) throw new Error('must be the base64 of 32 bytes')
  return key
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
