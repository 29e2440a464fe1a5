import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { exchange, type WholeAnswer } from './exchange.ts'
import { timeoutHeader } from './http/awaited.ts'
import { repeatLost } from './repeat-lost.ts'

/** Services accept connections at once, so a short timeout leaves time for a retry. */
const connectTimeoutMs = 2000
/**
 * Less than the `DRAIN_DELAY` of the called service, so that it never closes a connection which this process may still use.
 */
const idleMs = 3000

/** A request, with its headers as an object. */
export type PeerRequest = Omit<Dispatcher.DispatchOptions, 'headers'> & {
  headers: IncomingHttpHeaders
  /** Whether the called service may process it twice. */
  idempotent: boolean
}

/** Connections to another service. */
export interface PeerPool {
  /**
   * Sends one request, with the timeout in a header, and reads the whole response within `timeoutMs`. Repeats it over
   * another connection, perhaps to another replica, if it was never sent, or if it is idempotent and its connection broke.
   * @param onData receives the body of a 200 in chunks; not for idempotent requests, whose repetition would deliver it again
   * @throws ExchangeError as {@link exchange} does
   */
  exchange(request: PeerRequest, timeoutMs: number, onData?: (chunk: Buffer) => void): Promise<WholeAnswer>
}

/**
 * Keeps connections to one origin. After a timeout it replaces all of them: others may be dead too, and each would cost a
 * caller the full timeout.
 * @param connections maximum number
 */
export function createPeerPool(origin: string, connections: number): PeerPool {
  const open = () =>
    new Pool(origin, {
      connections,
      connect: { timeout: connectTimeoutMs },
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
    })
  let pool = open()
  const replace = (silent: Pool) => {
    if (pool !== silent) return
    pool = open()
    silent.close().catch(() => {})
  }
  const exchangeOnce = async (request: PeerRequest, timeoutMs: number, onData?: (chunk: Buffer) => void) => {
    const used = pool
    const headers = { ...request.headers, [timeoutHeader]: String(Math.ceil(timeoutMs)) }
    try {
      return await exchange(used, { ...request, headers }, timeoutMs, { onData })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ETIMEDOUT') replace(used)
      throw error
    }
  }
  return {
    exchange: (request, timeoutMs, onData) =>
      repeatLost((leftMs) => exchangeOnce(request, leftMs, onData), { idempotent: request.idempotent, timeoutMs }),
  }
}
