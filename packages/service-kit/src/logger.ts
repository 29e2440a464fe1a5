import pino from 'pino'
import { type LogOutput, openLogOutput } from './log-output.ts'
import { currentLogFields } from './telemetry/log-fields.ts'

export type Logger = pino.Logger

/** A logger and its flush function. */
export interface LoggerHandle {
  log: Logger
  flush(): void
}

const flushMs = 250

/**
 * Logs JSON lines to standard output, asynchronously in blocks; call `flush` before the process ends. Errors are
 * reduced to type, message, code and stack: HTTP clients attach requests with credentials and phone numbers to theirs.
 */
export function createLogger(service: string, level: string): LoggerHandle {
  const tellDropped = (lines: number) =>
    log.warn({ lines }, 'log lines were dropped: standard output was not read, or its disk was full')
  standardOutput ??= openStandardOutput(tellDropped)
  const log = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: currentLogFields,
      serializers: { err: describeError },
      formatters: { level: (label, number) => ({ level: number, severity: label }) },
    },
    standardOutput,
  )
  return { log, flush: standardOutput.flushSync }
}

let standardOutput: LogOutput | undefined

/** One output for all loggers of a process; the first logger reports dropped lines. */
function openStandardOutput(onDropped: (lines: number) => void): LogOutput {
  const output = openLogOutput({ fd: 1, flushMs, onDropped })
  process.on('exit', output.flushSync)
  return output
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
