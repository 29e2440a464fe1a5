import type { Duplex } from 'node:stream'
import pg from 'pg'
import { isConnectionError } from './connection-errors.ts'
import { requireNoneHeld } from './held-connection.ts'
import { waits } from './session-settings.ts'

/** A connection that is ours until it is released. */
export interface Connection {
  /** @throws the server's error, or an error of {@link isConnectionError} when there is no answer in time */
  query(query: pg.QueryConfig, answerMs?: number): Promise<pg.QueryResult>
  /** Ends a transaction that failed; over a connection that is lost already, nothing is said. */
  rollback(): Promise<void>
  release(): void
}

/**
 * A pool that does not trust silence. A connection whose peer has vanished without a word looks like any other, and each would
 * cost somebody the whole wait. So when one gives no answer in time, it is destroyed, and so is every other one that
 * has not been heard of since.
 */
export class Connections {
  readonly pool: pg.Pool
  readonly #heardAt = new WeakMap<pg.PoolClient, number>()
  /** Since when a connection has given no answer; what was heard of later is alive. */
  #silentSince = Number.NEGATIVE_INFINITY

  constructor(options: pg.PoolConfig) {
    this.pool = new pg.Pool({
      ...options,
      connectionTimeoutMillis: waits.connectMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // The pool does not listen to a connection that somebody holds; the next statement fails by itself.
    this.pool.on('connect', (client) => {
      this.#heardAt.set(client, performance.now())
      client.on('error', () => {})
    })
  }

  /** @throws an error of {@link isConnectionError} when no connection was free, or could be made, in time */
  async connect(): Promise<Connection> {
    requireNoneHeld(this.pool)
    for (;;) {
      const client = await this.pool.connect()
      if (this.#heardAt.get(client)! > this.#silentSince) return this.#lend(client)
      discard(client)
    }
  }

  #lend(client: pg.PoolClient): Connection {
    let broken = false
    const query: Connection['query'] = async (config, answerMs = waits.answerMs) => {
      const askedAt = performance.now()
      let answered = false
      const giveUp = () => {
        if (!answered) this.#giveUp(client, askedAt)
      }
      // After a stall of our own the answer may be here, unread: the event loop reads before it runs an immediate.
      const timer = setTimeout(() => setImmediate(giveUp), answerMs)
      try {
        return await client.query(config)
      } catch (error) {
        if (isConnectionError(error)) broken = true
        throw error
      } finally {
        answered = true
        clearTimeout(timer)
        if (!broken) this.#heardAt.set(client, performance.now())
      }
    }
    return {
      query,
      async rollback() {
        if (broken) return
        broken = await query({ text: 'rollback' }).then(
          () => false,
          () => true,
        )
      },
      release() {
        if (broken) discard(client)
        else client.release()
      },
    }
  }

  /** Destroys a connection that gives no answer; the statement under way fails with that. */
  #giveUp(client: pg.PoolClient, askedAt: number): void {
    this.#silentSince = Math.max(this.#silentSince, askedAt)
    socketOf(client).destroy()
  }
}

/** Takes a connection out of the pool at once: a farewell over a dead one would never be answered. */
function discard(client: pg.PoolClient): void {
  client.release(true)
  socketOf(client).destroy()
}

/** The driver has no public way to end a connection without a farewell. */
function socketOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream
}
