import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from '@notify/contracts'
import type { SenderOptions } from '../src/sender.ts'

interface Sender {
  send(account: never, message: never): Promise<{ outcome: string }>
  close(): void
}

interface Started {
  sender: Sender
  /** Ids of a message. */
  ids: { notificationId: string; attemptId: string }
  stop(): void
}

interface Definition {
  createSender(options: SenderOptions<never>): Sender
}

/** A sender with these variables of its kind. */
export function senderWith({ createSender }: Definition, environment: Readonly<Record<string, string>>): Started {
  const sender = createSender({
    timeoutMs: 60_000,
    maxConnections: 1,
    publicUrl: 'https://notify.example.com',
    sandboxUrl: undefined,
    environment: environment as never,
  })
  return { sender, ids: { notificationId: newId('notif'), attemptId: newId('att') }, stop: () => sender.close() }
}

/** A sender whose carrier is this handler. */
export async function senderAt(definition: Definition, carrier: RequestListener): Promise<Started> {
  const server = createServer(carrier).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { stop, ...started } = senderWith(definition, { CARRIER_STAND_IN_URL: `http://127.0.0.1:${port}` })
  return {
    ...started,
    stop() {
      stop()
      server.close()
    },
  }
}
