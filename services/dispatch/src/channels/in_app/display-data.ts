import { fieldProblem } from '@notify/service-kit'

/** Fields of `data` that inboxes know; of an event's `data`, which are variables, only these are shown. */
export const displayFields = ['action_url', 'avatar_url', 'category'] as const

const maxBytes = 32 * 1024
const maxUrl = 2048
const maxCategory = 64

/**
 * Checks the display data of a notification: browsers follow its links.
 * @throws Problem `validation_failed` naming the field
 */
export function requireDisplayData(data: Record<string, unknown>): void {
  for (const field of ['action_url', 'avatar_url'] as const) {
    if (data[field] !== undefined && !isLink(data[field])) {
      throw fieldProblem(
        'validation_failed',
        `data.${field}`,
        `must be an http(s) URL or a path that begins with /, of at most ${maxUrl} characters`,
      )
    }
  }
  const { category } = data
  if (category !== undefined && !(typeof category === 'string' && category !== '' && category.length <= maxCategory)) {
    throw fieldProblem('validation_failed', 'data.category', `must be a string of 1 to ${maxCategory} characters`)
  }
  if (Buffer.byteLength(JSON.stringify(data)) > maxBytes)
    throw fieldProblem('validation_failed', 'data', `must have at most ${maxBytes} bytes as JSON`)
}

/** No other scheme, and no `//host`, which a browser takes for an address at another site. */
function isLink(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > maxUrl || /[\s\p{Cc}\\]/u.test(value)) return false
  if (value.startsWith('/')) return !value.startsWith('//')
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}
