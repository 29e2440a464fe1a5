import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy before a server, so that a test can lose the server, or only its answers, for itself alone. */
export interface FaultProxy {
  /** A URL of the server, by way of the proxy. */
  via(url: string): string
  /** Drops from now on what the open connections carry, in both directions, and closes none of them. */
  swallowOpen(): void
  /** Drops what new connections carry, too. */
  swallowNew(): void
  /** Reads no more from either side of any connection: what is sent waits, and arrives after `recover`. */
  hold(): void
  /** Cuts every connection and takes no new one, as a server that crashed. */
  fail(): Promise<void>
  /** Serves new connections again, on the same port, and goes on with those held; swallowed ones stay silent. */
  recover(): Promise<void>
  /** Cuts every connection and ends. */
  stop(): Promise<void>
}

interface Link {
  near: Socket
  far: Socket
  silent: boolean
}

/** @param target where the server is, asked for at each connection: the proxy may be there before the server */
export async function startFaultProxy(target: () => string | URL): Promise<FaultProxy> {
  const links = new Set<Link>()
  let silentNew = false
  let held = false
  const take = (near: Socket) => {
    const { hostname, port } = new URL(target())
    const link = { near, far: connect(Number(port), hostname), silent: silentNew }
    links.add(link)
    carry(link, near, link.far, () => links.delete(link))
    carry(link, link.far, near, () => links.delete(link))
    if (held) holdLink(link)
  }
  let server = await listen(take, 0)
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

/** Passes on what arrives, and the end of the connection, unless it is silent: then the other side learns of neither. */
function carry(link: Link, from: Socket, to: Socket, ended: () => void): void {
  from.on('data', (chunk) => {
    if (!link.silent) to.write(chunk)
  })
  from.on('error', () => {})
  from.on('close', () => {
    if (link.silent && !to.destroyed) return
    to.destroy()
    ended()
  })
}
