import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
  text: string
}

/** Sends bytes that no HTTP client would, and reads what comes until the server closes. */
export async function rawRequest(baseUrl: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.setTimeout(10_000, () => socket.destroy())
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  // Not `once`, which fails when the server answers and closes before it has everything.
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  return readAnswer(Buffer.concat(chunks).toString('utf8'))
}

export function readAnswer(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
  const text = rest.join('\r\n\r\n')
  const isJson = headers.get('content-type')?.includes('json')
  return { status: Number(statusLine.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : text }
}

/** A connection that misbehaves; what comes back is kept unless it does not read. */
export interface HostileClient {
  socket: Socket
  text: () => string
  isClosed: () => boolean
}

/** Sends `head` at once, and then a byte at a time. */
export function drip(baseUrl: string, head: string, { everyMs = 200, byte = 'a' } = {}): HostileClient {
  const client = open(baseUrl)
  client.socket.write(head)
  const timer = setInterval(() => client.socket.write(byte), everyMs)
  client.socket.on('close', () => clearInterval(timer))
  return client
}

/** Sends the bytes over and over and reads nothing of what comes back. */
export function neverRead(baseUrl: string, bytes: Buffer): HostileClient {
  const client = open(baseUrl)
  client.socket.pause()
  const write = () => {
    for (let writes = 0; writes < 64; writes++) if (!client.socket.writable || !client.socket.write(bytes)) return
    // The kernel took everything at once, so no `drain` follows; and one that does not write never sees that it was closed.
    setImmediate(write)
  }
  client.socket.on('drain', write)
  client.socket.on('connect', write)
  return client
}

/** Connects and says nothing more than this. */
export function open(baseUrl: string, head = ''): HostileClient {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let text = ''
  let closed = false
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
  })
  if (head !== '') socket.write(head)
  return { socket, text: () => text, isClosed: () => closed }
}

export function closeAll(clients: readonly HostileClient[]): void {
  for (const { socket } of clients) socket.destroy()
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  const [, kiB] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kiB) / 1024
}

/** A local port where nobody listens: it was free a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
