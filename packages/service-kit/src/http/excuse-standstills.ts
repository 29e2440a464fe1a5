import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { afterNextPoll } from '../loop-turns.ts'

/**
 * Extends the time limits of requests by the time that the process stood still, as when it is frozen or its machine moved.
 * Node checks the limits before it reads what arrived meanwhile, and would answer such requests with 408.
 */
export function excuseStandstills(
  server: Server,
  { headersMs, requestMs, checkMs }: { headersMs: number; requestMs: number; checkMs: number },
): void {
  let last = performance.now()
  /** Of the last intervals, for as long as a request may last: TCP repeats lost bytes only seconds after the process wakes. */
  const lostMs: number[] = []
  const lost = () => Math.max(0, performance.now() - last - checkMs)
  const stoodMs = () => lostMs.reduce((sum, ms) => sum + ms, lost())
  const timer = setInterval(() => {
    lostMs.push(lost())
    last = performance.now()
    if (lostMs.length > requestMs / checkMs) lostMs.shift()
  }, checkMs).unref()
  server.once('close', () => clearInterval(timer))
  // Computed when Node reads them, because its check may run before this timer.
  Object.defineProperties(server, {
    headersTimeout: { get: () => headersMs + stoodMs() },
    requestTimeout: { get: () => requestMs + stoodMs() },
  })
  server.on('timeout', closeSilent)
}

/** Closes a connection without traffic, unless its response decides that itself, or something had arrived meanwhile. */
async function closeSilent(socket: Socket & { _httpMessage?: ServerResponse | null }): Promise<void> {
  if (socket._httpMessage?.listenerCount('timeout')) return
  const { bytesRead } = socket
  await afterNextPoll()
  if (socket.bytesRead === bytesRead) socket.destroy()
}
