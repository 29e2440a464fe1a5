import type { Server } from 'node:http'

/**
 * Extends the time limits of requests by the time that the process stood still, as when it is frozen or its machine moved.
 * Node checks the limits before it reads what arrived meanwhile, and would answer such requests with 408.
 */
export function excuseStandstills(
  server: Server,
  { headersMs, requestMs, checkMs }: { headersMs: number; requestMs: number; checkMs: number },
): void {
  // Before Node's own listener, so that at each interval this runs first.
  server.prependListener('listening', () => {
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      const stoodMs = Math.max(0, now - last - checkMs)
      last = now
      server.headersTimeout = headersMs + stoodMs
      server.requestTimeout = requestMs + stoodMs
    }, checkMs).unref()
    server.once('close', () => clearInterval(timer))
  })
}
