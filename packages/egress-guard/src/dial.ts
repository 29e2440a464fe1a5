import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AllowList } from './allow-list.ts'
import { withoutBrackets } from './destination.ts'
import { codeOf } from './dns-health.ts'
import { type HostResolver, within } from './host-resolver.ts'
import { resolvePublic } from './resolve-public.ts'

interface DialOptions {
  resolve: HostResolver
  allowed: AllowList
  /** PEM certificates that are trusted besides the system's. */
  ca?: readonly string[] | undefined
  /** Longest wait for DNS, and for TCP and TLS of each address, in milliseconds. */
  connectMs: number
}

/** A connector for undici over TLS. SNI and the name in the certificate must be those of the URL. */
export function createDial({ ca, connectMs, ...guard }: DialOptions): buildConnector.connector {
  // Once for all connections: to parse 150 root certificates takes 5 ms, several times as much as a handshake.
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', ...(ca ? { ca: [...ca] } : {}) })
  return ({ hostname, port: portText }, callback) => {
    const host = withoutBrackets(hostname)
    const port = Number(portText || 443)
    const options: ConnectionOptions = {
      port,
      ALPNProtocols: ['http/1.1'],
      secureContext,
      ...(isIP(host) ? {} : { servername: host }),
    }
    const open = (address: string) => opened(connectTls({ ...options, host: address }), 'secureConnect', connectMs)
    dialPublic({ host, port, connectMs, ...guard }, open).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

export interface PublicHost {
  /** A name, or an address without brackets. */
  host: string
  port: number
  resolve: HostResolver
  /** Default: nothing. */
  allowed?: AllowList
  /** Longest wait for DNS, and for each address, in milliseconds. */
  connectMs: number
}

/**
 * Opens a TCP connection to a host that a tenant chose.
 * @throws DestinationError unless all its addresses are public; the error of DNS or of the connection
 */
export function connectPublic(target: PublicHost): Promise<Socket> {
  const { port, connectMs } = target
  return dialPublic(target, (address) => opened(connectTcp({ host: address, port }), 'connect', connectMs))
}

/** Resolves the host once, judges all its addresses, and dials the judged ones: nothing is resolved again in between. */
async function dialPublic<S>(
  { host, port, connectMs, ...guard }: PublicHost,
  open: (address: string) => Promise<S>,
): Promise<S> {
  const addresses = await within(connectMs, resolvePublic(host, port, guard))
  let failure: unknown
  for (const address of addresses) {
    try {
      return await open(address)
    } catch (error) {
      failure = error
      if (!isUnreachable(error)) break
    }
  }
  throw failure
}

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', connectMs: number): Promise<S> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(codedError('ETIMEDOUT', 'no connection in time')), connectMs)
    const end = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    socket.setNoDelay(true)
    socket.once('error', end)
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', end)
      resolve(socket)
    })
  })
}

/** Whether another address of the same host may do better. */
function isUnreachable(error: unknown): boolean {
  return ['ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED', 'ETIMEDOUT', 'EADDRNOTAVAIL'].includes(codeOf(error))
}

function codedError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code })
}
