import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { BootstrapDocument } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'

type ProviderEntry = BootstrapDocument['providers'][number]

/** Changes the installation's providers as an installation does: by its bootstrap document. */
export async function changeProviders(
  env: TestEnv,
  change: (providers: readonly ProviderEntry[]) => readonly ProviderEntry[],
): Promise<void> {
  const file = join(env.stack.dataDir, 'bootstrap.json')
  const document: BootstrapDocument = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...document, providers: change(document.providers) }))
  await env.restart('dispatch-api')
}

export interface StubCarrier {
  /** For TWILIO_API_URL. */
  url: string
  /** The forms that were posted, in order. */
  received: URLSearchParams[]
  /** What happens to the next ones: answers, or leaves the request open. */
  answer: (response: ServerResponse, form: URLSearchParams) => void
  stop: () => Promise<void>
}

/** A carrier whose every answer the test decides; at first it never answers. */
export async function startStubCarrier(): Promise<StubCarrier> {
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    carrier.received.push(form)
    carrier.answer(response, form)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const carrier: StubCarrier = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => {},
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return carrier
}

/** Takes the message, as Twilio says it. */
export function takes(response: ServerResponse): void {
  json(response, 201, { sid: `SM${crypto.randomUUID().replaceAll('-', '')}`, status: 'queued' })
}

/** Refuses the message, as Twilio says it. */
export function refuses(status: number, code: number, message: string, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => json(response, status, { code, message, status }, headers)
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
