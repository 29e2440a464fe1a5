import sonicBoom from 'sonic-boom'
import { withoutLogFields } from './telemetry/log-fields.ts'

/** Lines are collected up to this size, because a system call costs more than a line. */
const blockBytes = 4096
/** With larger blocks it would take longer to detect that the output is not read. */
const maxBlockBytes = 64 * 1024
/** Maximum bytes that wait while the reader has stopped reading. */
const maxWaitingBytes = 8 * 1024 * 1024
/** If a write takes longer, the reader has stopped reading. */
const stalledMs = 1000
/** Errors of a full disk, an exhausted quota or a file at its size limit: the write is repeated with the next line. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** Delay that lets a write in progress finish first, also if its thread waits for a core: its lines would come last. */
const handOverMs = 100

export interface LogOutput {
  write(line: string): void
  /** Writes the waiting lines before it returns, unless the output is not read. */
  flushSync(): void
}

interface LogOutputOptions {
  fd: number
  /** Maximum time that a line waits for others, in milliseconds. */
  flushMs: number
  /** Called with the number of dropped lines, once the output is read again. */
  onDropped(lines: number): void
}

/**
 * Writes lines to a file descriptor in blocks. If its reader has gone, lines are lost. If the reader does not read or the
 * disk is full, up to 8 MiB of lines wait; further ones are dropped and counted. The process never waits for the output.
 */
export function openLogOutput({ fd, flushMs, onDropped }: LogOutputOptions): LogOutput {
  let dropped = 0
  let waitingBytes = 0
  let isClosed = false
  /** The time since which the current write has made no progress; undefined without a write. */
  let writingSinceMs: number | undefined
  let giveUpAtMs = Number.POSITIVE_INFINITY
  /** Runs only while lines wait, so that a process without lines is not woken. */
  let timer: NodeJS.Timeout | undefined

  const output = new sonicBoom.SonicBoom({
    fd,
    minLength: blockBytes,
    maxLength: maxWaitingBytes,
    maxWrite: maxBlockBytes,
    contentMode: 'buffer',
    retryEAGAIN: () => performance.now() < giveUpAtMs,
  })
  const closeUnlessFull = (error: unknown) => {
    writingSinceMs = undefined
    if (fullCodes.has((error as NodeJS.ErrnoException).code ?? '')) return
    isClosed = true
    output.destroy()
  }
  const tellDropped = () => {
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }
  output.on('error', closeUnlessFull)
  output.on('drop', (line: Buffer) => {
    dropped++
    waitingBytes -= line.length
  })
  output.on('write', (bytes: number) => {
    waitingBytes = Math.max(0, waitingBytes - bytes)
    writingSinceMs = performance.now()
    if (dropped > 0 && waitingBytes + blockBytes <= maxWaitingBytes) tellDropped()
  })
  output.on('drain', () => {
    writingSinceMs = undefined
  })

  const flush = () => {
    if (isClosed || waitingBytes === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    writingSinceMs ??= performance.now()
    output.flush()
  }

  return {
    write(line) {
      if (isClosed) return
      timer ??= withoutLogFields(() => setInterval(flush, flushMs).unref())
      const bytes = Buffer.from(line)
      waitingBytes += bytes.length
      // The types allow only strings, whose lengths the library would count again with each line.
      output.write(bytes as unknown as string)
      if (waitingBytes >= blockBytes) writingSinceMs ??= performance.now()
    },
    flushSync() {
      // A synchronous write after one that hangs would hang too, and with it the process.
      if (isClosed || performance.now() - (writingSinceMs ?? Number.POSITIVE_INFINITY) > stalledMs) return
      if (writingSinceMs !== undefined) sleep(handOverMs)
      giveUpAtMs = performance.now() + stalledMs
      try {
        output.flushSync()
        waitingBytes = 0
      } catch (error) {
        closeUnlessFull(error)
      }
      giveUpAtMs = Number.POSITIVE_INFINITY
    },
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
