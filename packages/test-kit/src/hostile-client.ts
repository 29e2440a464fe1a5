import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

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
    for (let writes = 0; writes < 64 && client.socket.writable; writes++) if (!client.socket.write(bytes)) return
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
