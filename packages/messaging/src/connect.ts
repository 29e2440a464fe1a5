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

interface ConnectOptions {
  login: NatsLogin
  /** Whether the process is of no use without NATS: an accepting process is (Postgres remembers), a worker is not. */
  requiredForReady: boolean
}

const betweenTriesMs = 250
const connectTimeoutMs = 2000
const pingEveryMs = 1000
/** While it waits it says so at once, and then every so many tries. */
const saidEveryTries = 40

/**
 * Connects to NATS and keeps reconnecting for ever; registers the end of the connection. Start-up waits for the server for as
 * long as it takes, and says so in the log.
 * @throws Error when the server refuses the login, or the process is told to end before the server came
 */
export async function connectBus(kit: Kit, options: ConnectOptions): Promise<Bus> {
  const { log, lifecycle, health } = kit
  const connection = await connectFirst(kit, options.login)
  lifecycle.onStop('nats', () => connection.close())
  let connected = true
  const refused = new Set<string>()
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        connected = false
        log.warn('lost the connection to NATS, reconnecting')
      } else if (status.type === 'reconnect') {
        connected = true
        refused.clear()
        log.info('connected to NATS again')
      } else if (status.type === 'staleConnection') {
        cut(connection)
      } else if (status.type === 'error') {
        // The same refusal comes with every attempt, several times a second.
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
 * Ends a connection that is silent. The client itself flushes it first, which takes for ever when the other side no longer
 * reads; it keeps the socket to itself.
 */
function cut(connection: NatsConnection): void {
  const { protocol } = connection as NatsConnection & { protocol?: { transport?: { socket?: Socket } } }
  protocol?.transport?.socket?.destroy()
}

async function connectFirst({ service, log, lifecycle }: Kit, login: NatsLogin): Promise<NatsConnection> {
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
        // Two pings without an answer, and the third moment ends a connection that is silent.
        pingInterval: pingEveryMs,
        maxPingOut: 2,
        ignoreAuthErrorAbort: true,
        // Each publication would take down its stack, twice, in case that it fails.
        noAsyncTraces: true,
      })
    } catch (error) {
      if (lifecycle.stopping) throw new Error('told to end while waiting for NATS', { cause: error })
      if (isRefusal(error)) throw new Error(`NATS at ${servers.join(',')} refuses the login of ${identity}`)
      const line = { servers, reason: (error as Error).message }
      if (tries % saidEveryTries === 0) log.warn(line, 'waiting for NATS: is it running, and is NATS_URL right?')
      await delay(betweenTriesMs)
    }
  }
}

/** A wrong or missing credential; not an authentication that took the server too long. */
function isRefusal(error: unknown): boolean {
  return error instanceof AuthorizationError && /authorization violation/i.test(error.message)
}
