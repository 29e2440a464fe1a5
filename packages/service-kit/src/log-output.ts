import sonicBoom from 'sonic-boom'
import { withoutLogFields } from './telemetry/log-fields.ts'

/** A block smaller than this waits for others: a system call costs more than a line. */
const blockBytes = 4096
/** Larger blocks would take longer to reveal whether the output is read. */
const maxBlockBytes = 64 * 1024
/** What may wait for a reader that has stopped reading. */
const maxWaitingBytes = 8 * 1024 * 1024
/** A write that takes longer has a reader that has stopped reading. */
const stalledMs = 1000
/** A full disk, an exhausted quota, a file at its size limit: the write is tried again with the next line. */
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
/** Time for a write that was just handed over to come first. */
const handOverMs = 5

export interface LogOutput {
  write(line: string): void
  /** Writes what waits before it returns, unless nobody reads. */
  flushSync(): void
}

interface LogOutputOptions {
  fd: number
  /** How long a line waits for others, in milliseconds. */
  flushMs: number
  /** Called with the number of dropped lines, once there is a reader again. */
  onDropped(lines: number): void
}

/**
 * Writes lines to a file descriptor in blocks. When its reader has gone, lines are lost; when it does not read, or its disk is
 * full, they wait up to 8 MiB, and further ones are dropped and counted. Nothing of this keeps the process from working.
 */
export function openLogOutput({ fd, flushMs, onDropped }: LogOutputOptions): LogOutput {
  let dropped = 0
  let waitingBytes = 0
  let isClosed = false
  /** Since when the write under way has made no progress; undefined while there is none. */
  let writingSinceMs: number | undefined
  let giveUpAtMs = Number.POSITIVE_INFINITY
  /** Runs only while lines wait: a process without lines is not woken. */
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
      // Its types know strings only, whose lengths it would count again with each line.
      output.write(bytes as unknown as string)
      if (waitingBytes >= blockBytes) writingSinceMs ??= performance.now()
    },
    flushSync() {
      // Behind a write that hangs, a synchronous one would hang too, and with it the process.
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
