import { writeSync } from 'node:fs'
import pino from 'pino'
import { currentLogFields } from './telemetry/log-fields.ts'

export type Logger = pino.Logger

/** A logger and its flush function. */
export interface LoggerHandle {
  log: Logger
  flush(): void
}

/**
 * Logs JSON lines to standard output, asynchronously in blocks; call `flush` before the process ends. Errors are
 * reduced to type, message, code and stack: HTTP clients attach requests with credentials and phone numbers to theirs.
 */
export function createLogger(service: string, level: string): LoggerHandle {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096 })
  const log = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: currentLogFields,
      serializers: { err: describeError },
      formatters: { level: (label, number) => ({ level: number, severity: label }) },
    },
    destination,
  )
  const timer = setInterval(() => destination.flush(), 250)
  timer.unref()
  return {
    log,
    flush() {
      clearInterval(timer)
      try {
        // The library retries writes to a closed pipe for ever; this throws instead.
        writeSync(1, '')
        destination.flushSync()
      } catch {
        // Standard output is not open; nothing can be logged.
      }
    },
  }
}

/** The loggable parts of an error, without attached properties. */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error) && !(typeof error === 'object' && error !== null && 'message' in error)) {
    return { message: String(error) }
  }
  const { name, message, stack, code, cause } = error as Error & { code?: unknown; cause?: unknown }
  return {
    type: name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(depth < 3 && cause !== undefined ? { cause: describeError(cause, depth + 1) } : {}),
    stack,
  }
}
