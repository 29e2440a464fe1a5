import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, createSecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AllowList } from './allow-list.ts'
import { withoutBrackets } from './destination.ts'
import { codeOf } from './dns-health.ts'
import { withFamily } from './foreign-family.ts'
import { type HostResolver, within } from './host-resolver.ts'
import { resolvePublic } from './resolve-public.ts'

interface DialOptions {
  resolve: HostResolver
  allowed: AllowList
  /** PEM certificates that are trusted besides the system's. */
  ca?: readonly string[] | undefined
  /** Longest wait for DNS, and for TCP and TLS of each address, in milliseconds. */
  connectMs: number
  /** Ends the dial that begins at this moment. */
  signal(): AbortSignal | undefined
}

/** Addresses of a name that are dialled, if there is a route to them: with hundreds of mute ones it would go on for long. */
const mostDialled = 4
/** Addresses that are tried in all. Those without a route fail at once, and thousands would occupy the process. */
const mostTried = 64

/** A connector for undici over TLS. SNI and the name in the certificate must be those of the URL. */
export function createDial({ ca, connectMs, signal, ...guard }: DialOptions): buildConnector.connector {
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
    const end = { connectMs, signal: signal() }
    const open = (address: string) => opened(connectTls({ ...options, host: address }), 'secureConnect', end)
    dialPublic({ host, port, ...end, ...guard }, open).then(
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
  /** Longest wait for DNS, and for the connection, in milliseconds. */
  connectMs: number
}

/**
 * Opens a TCP connection to a host that a tenant chose.
 * @throws DestinationError unless all its addresses are public; the error of DNS or of the connection
 */
export function connectPublic(target: PublicHost): Promise<Socket> {
  const { port, connectMs } = target
  const end = { connectMs, signal: AbortSignal.timeout(connectMs) }
  return dialPublic({ ...target, ...end }, (address) => opened(connectTcp({ host: address, port }), 'connect', end))
}

interface End {
  /** Longest wait for an address, in milliseconds. */
  connectMs: number
  /** Ends the wait for all of them. */
  signal: AbortSignal | undefined
}

/** Resolves the host once, judges all its addresses, and dials the first ones: nothing is resolved again in between. */
async function dialPublic<S>(
  { host, port, connectMs, signal, ...guard }: PublicHost & End,
  open: (address: string) => Promise<S>,
): Promise<S> {
  const addresses = await within(connectMs, resolvePublic(host, port, guard))
  let failure: unknown
  let dialled = 0
  for (const address of addresses.slice(0, mostTried)) {
    if (signal?.aborted || dialled === mostDialled) break
    try {
      return await open(address)
    } catch (error) {
      if (hasNoRoute(error)) {
        failure ??= error
        continue
      }
      failure = error
      dialled += 1
      if (!isUnreachable(error)) break
    }
  }
  if (failure !== undefined && dialled === 0) throw withFamily(failure, addresses)
  throw failure ?? late()
}

function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  { connectMs, signal }: End,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(late())
    const timer = setTimeout(stop, connectMs)
    signal?.addEventListener('abort', stop)
    const ended = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    const fail = (error: Error) => {
      ended()
      reject(error)
    }
    socket.setNoDelay(true)
    socket.once('error', fail)
    socket.once(event, () => {
      ended()
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** Fails at once, for example for every IPv4 address in a pod that has only IPv6. */
function hasNoRoute(error: unknown): boolean {
  return ['ENETUNREACH', 'EADDRNOTAVAIL'].includes(codeOf(error))
}

/** Whether another address of the same host may do better. */
function isUnreachable(error: unknown): boolean {
  return ['EHOSTUNREACH', 'ECONNREFUSED', 'ETIMEDOUT'].includes(codeOf(error))
}

const late = () => Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
