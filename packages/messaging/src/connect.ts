import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Kit } from '@notify/service-kit'

/** A connection to NATS with its JetStream clients. */
export interface Bus {
  connection: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
}

interface ConnectOptions {
  url: string
  /** Whether the process is of no use without NATS: an accepting process is (Postgres remembers), a worker is not. */
  requiredForReady: boolean
}

/**
 * Connects to NATS and keeps reconnecting for ever; registers the end of the connection. Start-up waits for the server and
 * says so in the log.
 */
export async function connectBus({ service, log, lifecycle, health }: Kit, options: ConnectOptions): Promise<Bus> {
  const waiting = setInterval(
    () => log.warn({ url: redact(options.url) }, 'waiting for NATS: is it running, and is NATS_URL right?'),
    5000,
  )
  const connection = await connect({
    servers: options.url.split(','),
    name: service,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    pingInterval: 5000,
    ignoreAuthErrorAbort: true,
  }).finally(() => clearInterval(waiting))
  lifecycle.onStop('nats', () => connection.close())
  let connected = true
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        connected = false
        log.warn('lost the connection to NATS, reconnecting')
      } else if (status.type === 'reconnect') {
        connected = true
        log.info('connected to NATS again')
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

function redact(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@')
}
