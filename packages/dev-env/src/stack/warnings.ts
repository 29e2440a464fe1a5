import { readable } from '../infrastructure/readable.ts'

const levels: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' }

/** A log line as a person reads it, when it is a warning or worse. Lines that are no JSON (a stack trace) are shown as they are. */
export function warningOf(line: string): string | undefined {
  if (!line.startsWith('{')) return /\b(error|warning|fatal)\b/i.test(line) ? line : undefined
  try {
    const { level } = JSON.parse(line) as { level?: number }
    if (typeof level !== 'number' || level < 40) return undefined
    return `${levels[level] ?? 'error'}: ${readable(line)}`
  } catch {
    return undefined
  }
}
