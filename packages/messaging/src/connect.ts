import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node'
import { inboxPrefix } from '@notify/contracts'
import type { Kit } from '@notify/service-kit'
import type { NatsLogin } from './nats-login.ts'

/** A connection to NATS with its JetStream clients. */
export interface Bus {
  connection: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
}

type ConnectKit = Pick<Kit, 'service' | 'log' | 'lifecycle' | 'health'>

interface ConnectOptions {
  login: NatsLogin
  /**
   * Whether the process is ready only while NATS is connected: true for workers; false for processes that accept requests,
   * because Postgres stores their events.
   */
  requiredForReady: boolean
}

const betweenTriesMs = 250
const connectTimeoutMs = 2000
const pingEveryMs = 1000
/** While waiting, every 40th try is logged. */
export const loggedEveryTries = 40

/**
 * Connects to NATS, and reconnects without limit. Registers the end of the connection. At start it waits for the server
 * without limit, and logs that it waits.
 * @throws Error when the server refuses the login, or the process is stopped while waiting
 */
export async function connectBus(kit: ConnectKit, options: ConnectOptions): Promise<Bus> {
  const { log, lifecycle, health } = kit
  const connection = await connectFirst(kit, options.login)
  lifecycle.onStop('nats', () => connection.close())
  let connected = true
  const refused = new Set<string>()
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        connected = false
        log.warn('lost the connection to NATS; reconnecting')
      } else if (status.type === 'reconnect') {
        connected = true
        refused.clear()
        log.info('reconnected to NATS')
      } else if (status.type === 'staleConnection') {
        cut(connection)
      } else if (status.type === 'error') {
        // The same refusal is repeated at every attempt, several times a second.
        if (refused.has(status.error.message)) continue
        refused.add(status.error.message)
        log.error({ login: options.login.identity, reason: status.error.message }, 'NATS refuses')
      }
    }
  })()
  if (options.requiredForReady) {
    health.require('nats', () => {
      if (!connected) throw new Error('disconnected')
    })
  }
  return {
    connection,
    js: jetstream(connection, { timeout: 2000 }),
    jsm: await jetstreamManager(connection, { checkAPI: false, timeout: 2000 }),
  }
}

/**
 * Closes a silent connection. The client would flush first, which never ends if the peer does not read, so its private
 * socket is destroyed.
 */
function cut(connection: NatsConnection): void {
  const { protocol } = connection as NatsConnection & { protocol?: { transport?: { socket?: Socket } } }
  protocol?.transport?.socket?.destroy()
}

async function connectFirst({ service, log, lifecycle }: ConnectKit, login: NatsLogin): Promise<NatsConnection> {
  const { servers, identity, options } = login
  for (let tries = 0; ; tries++) {
    try {
      return await connect({
        servers,
        ...options,
        name: service,
        inboxPrefix: inboxPrefix(service),
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        timeout: connectTimeoutMs,
        // After two unanswered pings, the third closes the connection.
        pingInterval: pingEveryMs,
        maxPingOut: 2,
        ignoreAuthErrorAbort: true,
        // Otherwise the client captures two stack traces for each publication.
        noAsyncTraces: true,
      })
    } catch (error) {
      if (lifecycle.stopping) throw new Error('stopped while waiting for NATS', { cause: error })
      if (isRefusal(error)) throw new Error(`NATS at ${servers.join(',')} refuses the login of ${identity}`)
      const line = { servers, reason: (error as Error).message }
      if (tries % loggedEveryTries === 0) log.warn(line, 'waiting for NATS: is it running, and is NATS_URL right?')
      await delay(betweenTriesMs)
    }
  }
}

/** A wrong or missing credential, but not an authentication timeout. */
function isRefusal(error: unknown): boolean {
  return error instanceof AuthorizationError && /authorization violation/i.test(error.message)
}
