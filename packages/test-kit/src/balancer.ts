import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A stand-in for a Service of Kubernetes: it chooses the target of each new connection, and never touches an open one. */
export interface Balancer {
  /** New connections go to this port, too. */
  add(port: number): void
  /** New connections no longer go to this port; open ones stay. */
  remove(port: number): void
  stop(): void
}

/**
 * A target that refuses the connection is skipped: under Kubernetes the caller is refused, and connects again.
 * @param port where it listens on 127.0.0.1
 */
export async function startBalancer(port: number): Promise<Balancer> {
  const targets: number[] = []
  const open = new Set<Socket>()
  let count = 0
  const take = (near: Socket, tries = 2 * targets.length) => {
    count += 1
    const target = targets[count % targets.length]
    if (target === undefined || tries === 0) return void near.resetAndDestroy()
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const passOver = () => take(near, tries - 1)
    far.once('error', passOver)
    far.once('connect', () => {
      far.off('error', passOver)
      for (const socket of [near, far]) {
        open.add(socket)
        socket.on('close', () => open.delete(socket))
      }
      carry(near, far)
      carry(far, near)
    })
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => take(near))
  server.unref()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    add: (added) => void targets.push(added),
    remove: (removed) => void targets.splice(targets.indexOf(removed), 1),
    stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/** Passes on the data, the end and a reset. */
function carry(from: Socket, to: Socket): void {
  from.pipe(to)
  from.on('error', () => to.resetAndDestroy())
  from.on('close', () => to.destroySoon())
}
