import type { Socket } from 'node:net'

/** The size above which the writes gathered for one socket are written immediately. */
const mostBytes = 64 * 1024

const gathering = new Set<Socket>()

/**
 * Collects the writes to a socket until the end of the turn of the event loop, so that one system call writes all of them.
 */
export function gather(socket: Socket): void {
  if (gathering.has(socket)) {
    if (socket.writableLength > mostBytes) {
      socket.uncork()
      socket.cork()
    }
    return
  }
  if (gathering.size === 0) setImmediate(writeAll)
  gathering.add(socket)
  socket.cork()
}

function writeAll(): void {
  for (const socket of gathering) socket.uncork()
  gathering.clear()
}
