import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Reads what one connection sends: returns the requests that a chunk completes. */
type Reader = (chunk: Buffer) => string[]

/** A TCP proxy that writes down what clients ask of a server, before the server can answer. */
export interface Recorder {
  /** The server's URL through the proxy. */
  via(url: string): string
  stop(): Promise<void>
}

interface RecorderOptions {
  /** Where the server is, asked for at each connection: the proxy may be there before the server. */
  target: () => string
  /** A reader for each connection. */
  reader: () => Reader
  /** Gets each request, in the order of its connection. */
  write: (request: string) => void
}

/** Starts a proxy that records. */
export async function startRecorder({ target, reader, write }: RecorderOptions): Promise<Recorder> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const { hostname, port } = new URL(target())
    const far = connect(Number(port), hostname)
    const read = reader()
    near.on('data', (chunk) => {
      for (const request of read(chunk)) write(request)
      far.write(chunk)
    })
    far.on('data', (chunk) => near.write(chunk))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        other.destroy()
        sockets.delete(socket)
      })
    }
  })
  server.unref()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    via(url) {
      const proxied = new URL(url)
      proxied.hostname = '127.0.0.1'
      proxied.port = String((server.address() as AddressInfo).port)
      return proxied.href
    },
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Requests of HTTP/1.1, as `GET /path`; the client writes each head at once. */
export const httpReader = (): Reader => (chunk) =>
  [...chunk.toString('latin1').matchAll(/^([A-Z]+ \S+) HTTP\/1\.1\r$/gm)].map(([, request]) => request!)

/** The statements that a client of Postgres runs (protocol 3.0: Query, and Bind of what was parsed). */
export function statementReader(): Reader {
  const parsed = new Map<string, string>()
  let pending: Buffer = Buffer.alloc(0)
  let begun = false
  const statementOf = (type: string, body: Buffer): string | undefined => {
    const texts = body.toString('utf8').split('\0', 2) as [string, string]
    if (type === 'P') parsed.set(...texts)
    if (type === 'Q') return texts[0]
    return type === 'B' ? parsed.get(texts[1]) : undefined
  }
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    const statements: string[] = []
    for (;;) {
      // The first message, which opens the session, has no type.
      const head = begun ? 1 : 0
      if (pending.length < head + 4) return statements
      const end = head + pending.readUInt32BE(head)
      if (pending.length < end) return statements
      const found = begun ? statementOf(String.fromCharCode(pending[0]!), pending.subarray(5, end)) : undefined
      if (found !== undefined) statements.push(found)
      pending = pending.subarray(end)
      begun = true
    }
  }
}
