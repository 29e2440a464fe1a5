import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An issuer of its own origin, whose discovery document names the endpoints of another. */
export interface DistantIssuer {
  url: string
  /** Says where the endpoints are. */
  describe(provider: string): void
  stop(): void
}

export async function startDistantIssuer(): Promise<DistantIssuer> {
  let provider = ''
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${provider}${request.url}`)
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('content-type', 'application/json')
    response.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    describe(url) {
      provider = url
    },
    stop: () => server.close(),
  }
}
