import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface DatabaseProxy {
  /** The server's URL, by way of the proxy. */
  url: string
  /** Cuts every connection and takes no new one, as a server that crashed. */
  fail: () => Promise<void>
  /** Takes connections again on the same port. */
  recover: () => Promise<void>
}

/** Stands before a Postgres that others use too, so that a test can lose it for itself alone. */
export async function startDatabaseProxy(serverUrl: string): Promise<DatabaseProxy> {
  const url = new URL(serverUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  const open = async (port: number): Promise<Server> => {
    const server = createServer((client) => {
      const upstream = connect(target)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(from)
        from.on('error', () => to.destroy())
        from.on('close', () => {
          sockets.delete(from)
          to.destroy()
        })
        from.pipe(to)
      }
    })
    server.unref()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await open(0)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async fail() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    async recover() {
      server = await open(Number(url.port))
    },
  }
}
