import { type Dispatcher, Pool } from 'undici'
import { exchange, type WholeAnswer } from './exchange.ts'

/** A service accepts a connection at once; one that does not is given up early, so that the next call can try again. */
const connectTimeoutMs = 2000

/** Connections to one other service. */
export interface PeerPool {
  /**
   * One request and its whole answer, within `timeoutMs`.
   * @throws ExchangeError as {@link exchange} does
   */
  exchange(request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<WholeAnswer>
}

/**
 * Keeps connections to one origin. When one of them gives no answer in time all are replaced: the others may be as dead, and
 * each would cost a caller the whole wait.
 * @param connections how many there are at most
 */
export function createPeerPool(origin: string, connections: number): PeerPool {
  const open = () => new Pool(origin, { connections, connect: { timeout: connectTimeoutMs } })
  let pool = open()
  const replace = (silent: Pool) => {
    if (pool !== silent) return
    pool = open()
    silent.close().catch(() => {})
  }
  return {
    async exchange(request, timeoutMs) {
      const used = pool
      try {
        return await exchange(used, request, timeoutMs)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ETIMEDOUT') replace(used)
        throw error
      }
    },
  }
}
