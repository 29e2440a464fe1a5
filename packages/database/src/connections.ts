import type { Duplex } from 'node:stream'
import { createTenantRoom, currentTenant, startDeadline, type TenantRoom } from '@notify/service-kit'
import pg from 'pg'
import { isConnectionError, noRoom } from './connection-errors.ts'
import { requireNoneHeld } from './held-connection.ts'
import { waits } from './session-settings.ts'

/** A connection held until it is released. */
export interface Connection {
  /** @throws the server's error, or an error of {@link isConnectionError} on timeout */
  query(query: pg.QueryConfig, answerMs?: number): Promise<pg.QueryResult>
  /**
   * Sends the queries of one turn in one write. Postgres runs them one after the other; a failed query does not prevent the
   * next.
   */
  together<T>(send: () => T): T
  /** Rolls a failed transaction back; does nothing on a lost connection. */
  rollback(): Promise<void>
  release(): void
}

/** Sends a query without waiting for the response to the last one. The driver's types lack this option. */
const pipelined = { pipeline: true }

/**
 * A pool that detects dead connections. If a query times out, its connection is destroyed, and with it all others that have
 * received nothing since it was sent: each would cost a caller the full timeout. What works for one tenant never uses more
 * connections than it leaves free: its slow statements must not delay others.
 */
export class Connections {
  readonly pool: pg.Pool
  readonly #room: TenantRoom
  #waiting = 0
  readonly #heardAt = new WeakMap<pg.PoolClient, number>()
  /** When the query that timed out was sent; connections that received data later are alive. */
  #silentSince = Number.NEGATIVE_INFINITY

  constructor(options: pg.PoolConfig & { max: number }) {
    this.#room = createTenantRoom({ most: options.max, mostOfTenant: options.max })
    this.pool = new pg.Pool({
      ...options,
      ...pipelined,
      connectionTimeoutMillis: waits.connectMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // The pool ignores errors of connections in use; the next statement fails by itself.
    this.pool.on('connect', (client) => {
      this.#heardAt.set(client, performance.now())
      client.on('error', () => {})
    })
  }

  get totalCount(): number {
    return this.pool.totalCount
  }

  get idleCount(): number {
    return this.pool.idleCount
  }

  get waitingCount(): number {
    return this.pool.waitingCount + this.#waiting
  }

  /**
   * @throws an error of {@link isConnectionError} when no connection was available in time, and Problem `service_unavailable`
   *   when the tenant's were all in use
   */
  async connect(): Promise<Connection> {
    requireNoneHeld(this.pool)
    const leave = await this.#enter(currentTenant())
    try {
      for (;;) {
        const client = await this.pool.connect()
        if (this.#heardAt.get(client)! > this.#silentSince) return this.#lend(client, leave)
        discard(client)
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  async #enter(tenantId: string | undefined): Promise<() => void> {
    if (tenantId === undefined) return () => {}
    this.#waiting++
    try {
      const leave = await this.#room(tenantId, performance.now() + waits.connectMs)
      if (!leave) throw noRoom()
      return leave
    } finally {
      this.#waiting--
    }
  }

  #lend(client: pg.PoolClient, leave: () => void): Connection {
    let broken = false
    const query: Connection['query'] = async (config, answerMs = waits.answerMs) => {
      const askedAt = performance.now()
      const clear = startDeadline(answerMs, () => this.#giveUp(client, askedAt))
      try {
        return await client.query(config)
      } catch (error) {
        if (isConnectionError(error)) broken = true
        throw error
      } finally {
        clear()
        if (!broken) this.#heardAt.set(client, performance.now())
      }
    }
    return {
      query,
      together(send) {
        const socket = socketOf(client)
        socket.cork()
        try {
          return send()
        } finally {
          socket.uncork()
        }
      },
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
        leave()
      },
    }
  }

  /** Destroys a connection that does not respond; its statement fails. */
  #giveUp(client: pg.PoolClient, askedAt: number): void {
    this.#silentSince = Math.max(this.#silentSince, askedAt)
    socketOf(client).destroy()
  }
}

/** Removes a connection from the pool without a Terminate message, which a dead peer would never read. */
function discard(client: pg.PoolClient): void {
  client.release(true)
  socketOf(client).destroy()
}

/** The driver has no public way to close a connection without Terminate. */
function socketOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream
}
