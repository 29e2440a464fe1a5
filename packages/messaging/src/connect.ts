import { setTimeout as delay } from 'node:timers/promises'
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

const betweenTriesMs = 250
/** While it waits it says so at once, and then every so many tries. */
const saidEveryTries = 40

/**
 * Connects to NATS and keeps reconnecting for ever; registers the end of the connection. Start-up waits for the server for as
 * long as it takes, and says so in the log.
 * @throws Error when the process is told to end before the server came
 */
export async function connectBus(kit: Kit, options: ConnectOptions): Promise<Bus> {
  const { log, lifecycle, health } = kit
  const connection = await connectFirst(kit, options.url)
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

async function connectFirst({ service, log, lifecycle }: Kit, url: string): Promise<NatsConnection> {
  for (let tries = 0; ; tries++) {
    try {
      return await connect({
        servers: url.split(','),
        name: service,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 100,
        pingInterval: 5000,
        ignoreAuthErrorAbort: true,
        // Each publication would take down its stack, twice, in case that it fails.
        noAsyncTraces: true,
      })
    } catch (error) {
      if (lifecycle.stopping) throw new Error('told to end while waiting for NATS', { cause: error })
      const line = { url: redact(url), reason: (error as Error).message }
      if (tries % saidEveryTries === 0) log.warn(line, 'waiting for NATS: is it running, and is NATS_URL right?')
      await delay(betweenTriesMs)
    }
  }
}

function redact(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//…@')
}
