import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { singlePorts } from '../infrastructure/ports.ts'
import { codeOf } from '../startup-error.ts'

/** A TCP proxy in front of a server, so that one test can simulate network faults without affecting others. */
export interface FaultProxy {
  /** The server's URL through the proxy. */
  via(url: string): string
  /** Drops all further data of the open connections in both directions, without closing them. */
  swallowOpen(): void
  /** Also drops the data of new connections. */
  swallowNew(): void
  /** Stops reading from both sides of every connection; pending data arrives after `recover`. */
  hold(): void
  /**
   * Closes the connection that next sends this text, once the server has responded: the request took effect, and nobody
   * learns of it. Resolves then.
   */
  loseResponseTo(text: string): Promise<void>
  /** Drops the data of the server that contains this text, until it is called with the next one, or nothing. */
  dropResponsesWith(text?: string): void
  /** Closes every connection and refuses new ones, as after a crash. */
  fail(): Promise<void>
  /** Accepts new connections again on the same port and resumes paused ones; dropped ones stay silent. */
  recover(): Promise<void>
  /** Closes every connection and stops the proxy. */
  stop(): Promise<void>
}

interface Link {
  near: Socket
  far: Socket
  silent: boolean
  /** Replaces the relay of the server's next data. */
  onResponse?: () => void
}

/** @param target where the server is, asked for at each connection: the proxy may be there before the server */
export async function startFaultProxy(target: () => string | URL): Promise<FaultProxy> {
  const links = new Set<Link>()
  let silentNew = false
  let held = false
  let losing: { text: string; done(): void } | undefined
  let dropped: string | undefined
  const isDropped = (chunk: Buffer) => dropped !== undefined && chunk.includes(dropped)
  const watch = (link: Link, chunk: Buffer) => {
    if (!losing || !chunk.includes(losing.text)) return
    const { done } = losing
    losing = undefined
    link.onResponse = () => {
      link.near.destroy()
      done()
    }
  }
  const take = (near: Socket) => {
    const { hostname, port } = new URL(target())
    const link = { near, far: connect(Number(port), hostname), silent: silentNew }
    links.add(link)
    carry(link, near, link.far, () => links.delete(link))
    carry(link, link.far, near, () => links.delete(link), isDropped)
    near.on('data', (chunk: Buffer) => watch(link, chunk))
    if (held) holdLink(link)
  }
  let server = await listenOnOwnPort(take)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const { near, far } of links) for (const socket of [near, far]) socket.destroy()
    links.clear()
    await closed
  }
  return {
    via(url) {
      const proxied = new URL(url)
      proxied.hostname = '127.0.0.1'
      proxied.port = String(port)
      return proxied.href
    },
    swallowOpen() {
      for (const link of links) link.silent = true
    },
    swallowNew() {
      silentNew = true
    },
    hold() {
      held = true
      for (const link of links) holdLink(link)
    },
    loseResponseTo: (text) => new Promise((done) => (losing = { text, done })),
    dropResponsesWith(text) {
      dropped = text
    },
    fail: close,
    async recover() {
      silentNew = false
      held = false
      for (const { near, far } of links) for (const socket of [near, far]) socket.resume()
      if (!server.listening) server = await listen(take, port)
    },
    stop: close,
  }
}

/** On a port that no outgoing connection takes between `fail` and `recover`. */
async function listenOnOwnPort(take: (near: Socket) => void): Promise<Server> {
  const { first, count } = singlePorts
  const start = randomInt(count)
  for (let i = 0; i < count; i++) {
    try {
      return await listen(take, first + ((start + i) % count))
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error
    }
  }
  throw new Error(`no free port among the ${count} from ${first} on`)
}

async function listen(take: (near: Socket) => void, port: number): Promise<Server> {
  const server = createServer(take)
  server.unref()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function holdLink({ near, far }: Link): void {
  for (const socket of [near, far]) socket.pause()
}

/** Relays data and the end of the connection, unless the connection is silenced. */
function carry(link: Link, from: Socket, to: Socket, ended: () => void, isDropped = (_chunk: Buffer) => false): void {
  from.on('data', (chunk: Buffer) => {
    if (from === link.far && link.onResponse) link.onResponse()
    else if (!link.silent && !isDropped(chunk)) to.write(chunk)
  })
  from.on('error', () => {})
  from.on('close', () => {
    if (link.silent && !to.destroyed) return
    to.destroy()
    ended()
  })
}
