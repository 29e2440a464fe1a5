import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of calls to dispatch: `refuse` closes their connection, `loseRequest` never brings them there, `loseAnswer` never
 * brings the answer back.
 */
export type GateMode = 'pass' | 'refuse' | 'loseRequest' | 'loseAnswer'

/** Stands between another service and dispatch. */
export interface DispatchGate {
  url: string
  mode: GateMode
  /** Calls since the mode was set, whatever became of them. */
  calls: number
  /** Calls whose loss has happened since the mode was set. */
  lost: number
  set(mode: GateMode): void
  stop(): void
}

/** @param target where dispatch is, asked for at each call */
export async function startDispatchGate(target: () => string): Promise<DispatchGate> {
  const server = createServer(async (request, response) => {
    const { mode } = gate
    gate.calls++
    try {
      const body = Buffer.concat(await request.toArray())
      if (mode === 'refuse') return cut(response)
      if (mode === 'loseRequest') return void gate.lost++
      const answer = await fetch(new URL(request.url ?? '/', target()), {
        method: request.method ?? 'POST',
        headers: passedOn(request.headers),
        body,
      })
      const text = await answer.text()
      if (mode === 'loseAnswer') return void gate.lost++
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
    } catch {
      cut(response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const gate: DispatchGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'pass',
    calls: 0,
    lost: 0,
    set(mode) {
      gate.mode = mode
      gate.calls = 0
      gate.lost = 0
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
  return gate
}

/** The headers that fetch does not make itself. */
function passedOn(headers: IncomingHttpHeaders): [string, string][] {
  const own = ['host', 'connection', 'content-length', 'keep-alive', 'transfer-encoding']
  return Object.entries(headers).flatMap(([name, value]) => (own.includes(name) ? [] : [[name, String(value)]]))
}

function cut(response: ServerResponse): void {
  response.socket?.destroy()
}
