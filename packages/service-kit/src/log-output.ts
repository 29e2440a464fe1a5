import { write, writeSync } from 'node:fs'

/** A block smaller than this waits for others: a system call costs more than a line. */
const blockLength = 4096
/** What may wait for a reader that has stopped reading, in characters. */
const maxWaiting = 8 * 1024 * 1024
const busyMs = 100
/** A write that takes longer has a reader that has stopped reading. */
const stalledMs = 1000
/** Time for a write that was just handed over to come first. */
const handOverMs = 5

export interface LogOutput {
  write(line: string): void
  /** Writes what waits, beside the event loop. */
  flush(): void
  /** Writes what waits before it returns, unless nobody reads. */
  flushSync(): void
}

interface LogOutputOptions {
  fd: number
  /** Called with the number of dropped lines, once there is a reader again. */
  onDropped(lines: number): void
}

/**
 * Writes lines to a file descriptor in blocks. When its reader has gone, lines are lost; when it does not read, they wait up to
 * 8 Mi characters, and further ones are dropped and counted. Neither keeps the process from working.
 */
export function openLogOutput({ fd, onDropped }: LogOutputOptions): LogOutput {
  let waiting: string[] = []
  let length = 0
  let dropped = 0
  let isClosed = false
  let block: Buffer | undefined
  let blockSinceMs = 0

  const take = (): Buffer => {
    const taken = Buffer.from(waiting.join(''))
    waiting = []
    length = 0
    return taken
  }
  const writeNext = () => {
    if (block || length === 0) return
    block = take()
    blockSinceMs = performance.now()
    writeBlock()
  }
  const writeBlock = () => write(fd, block!, written)
  const written = (error: NodeJS.ErrnoException | null, bytes: number) => {
    if (error && isBusy(error)) {
      setTimeout(writeBlock, busyMs).unref()
      return
    }
    if (error) return close()
    block = block!.subarray(bytes)
    if (block.length > 0) return writeBlock()
    block = undefined
    if (length >= blockLength) writeNext()
    // What waited has been taken, so there is room for a line.
    if (dropped > 0) tellDropped()
  }
  const tellDropped = () => {
    const lines = dropped
    dropped = 0
    onDropped(lines)
  }
  const close = () => {
    isClosed = true
    block = undefined
    waiting = []
    length = 0
  }

  return {
    write(line) {
      if (isClosed) return
      if (length >= maxWaiting) {
        dropped++
        return
      }
      waiting.push(line)
      length += line.length
      if (length >= blockLength) writeNext()
    },
    flush: writeNext,
    flushSync() {
      if (block && performance.now() - blockSinceMs > stalledMs) return
      if (block) sleep(handOverMs)
      try {
        writeAll(fd, take())
      } catch {
        close()
      }
    },
  }
}

/** @throws when there is no reader, or it does not read */
function writeAll(fd: number, bytes: Buffer): void {
  const untilMs = performance.now() + stalledMs
  for (let rest = bytes; rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if (!isBusy(error as NodeJS.ErrnoException) || performance.now() > untilMs) throw error
      sleep(handOverMs)
    }
  }
}

const isBusy = ({ code }: NodeJS.ErrnoException): boolean => code === 'EAGAIN' || code === 'EBUSY'

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
