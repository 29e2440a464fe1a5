import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AllowList } from './allow-list.ts'
import { withoutBrackets } from './destination.ts'
import { type HostResolver, resolvePublic } from './resolve-public.ts'

interface DialOptions {
  resolve: HostResolver
  allowed: AllowList
  /** PEM certificates that are trusted besides the system's. */
  ca?: readonly string[] | undefined
  /** Longest wait for DNS, and for TCP and TLS of each address. */
  connectMs: number
}

/**
 * A connector that resolves the host once, has all its addresses judged, and dials the checked ones: nothing can be resolved
 * again in between. SNI and the name that the certificate must bear stay those of the URL.
 */
export function createDial({ resolve, allowed, ca, connectMs }: DialOptions): buildConnector.connector {
  return ({ hostname, port: portText }, callback) => {
    const host = withoutBrackets(hostname)
    const port = Number(portText || 443)
    const tls: ConnectionOptions = {
      port,
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca ? { ca: [...ca] } : {}),
    }
    const dial = async () => {
      const addresses = await within(connectMs, resolvePublic(host, port, { resolve, allowed }))
      let failure: unknown
      for (const address of addresses) {
        try {
          return await connectTo({ ...tls, host: address }, connectMs)
        } catch (error) {
          failure = error
          if (!isUnreachable(error)) break
        }
      }
      throw failure
    }
    dial().then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(dnsTimeout()), ms).unref()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const dnsTimeout = () => Object.assign(codedError('ETIMEOUT', 'no answer of DNS in time'), { syscall: 'query' })

function connectTo(options: ConnectionOptions, connectMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options)
    const timer = setTimeout(() => socket.destroy(codedError('ETIMEDOUT', 'no connection in time')), connectMs)
    const end = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    socket.setNoDelay(true)
    socket.once('error', end)
    socket.once('secureConnect', () => {
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

export const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? '')
