import { Agent, fetch } from 'undici'

/** Shorter than any `DRAIN_DELAY`; undici may take a second longer. */
const idleMs = 2000

/**
 * From now on `fetch` closes idle connections soon, as a load balancer before the gateway must: at the end of a drain the gateway
 * closes them, and a request that is on its way is lost.
 * @returns what undoes it
 */
export function closeIdleConnectionsSoon(): () => void {
  const usual = globalThis.fetch
  const dispatcher = new Agent({ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs })
  const soon = (url: string | URL, init: object) => fetch(url, { ...init, dispatcher })
  globalThis.fetch = soon as unknown as typeof globalThis.fetch
  return () => {
    globalThis.fetch = usual
    void dispatcher.close()
  }
}
