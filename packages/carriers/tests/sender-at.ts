import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from '@notify/contracts'
import type { SenderOptions } from '../src/sender.ts'

interface Sender {
  send(account: never, message: never): Promise<{ outcome: string }>
  close(): void
}

/** A sender whose carrier is this handler, and ids of a message. */
export async function senderAt(
  definition: { createSender(options: SenderOptions<never>): Sender },
  carrier: RequestListener,
): Promise<{ sender: Sender; ids: { notificationId: string; attemptId: string }; stop(): void }> {
  const server = createServer(carrier).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = definition.createSender({
    timeoutMs: 2000,
    maxConnections: 1,
    publicUrl: 'https://notify.example.com',
    sandboxUrl: undefined,
    environment: { CARRIER_STAND_IN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as never,
  })
  return {
    sender,
    ids: { notificationId: newId('notif'), attemptId: newId('att') },
    stop() {
      sender.close()
      server.close()
    },
  }
}
