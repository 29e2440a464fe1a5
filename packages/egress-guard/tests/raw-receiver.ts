import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'

export interface Authority {
  ca: string
  sign(names: { name?: string; from?: Date; until?: Date }): Promise<{ cert: string; key: string }>
}

export async function makeAuthority(): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: 'Test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return {
    ca: ca.cert,
    async sign({ name, from, until }) {
      const made = await generate([{ name: 'commonName', value: 'receiver' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        ca: { key: ca.private, cert: ca.cert },
        ...(from ? { notBeforeDate: from } : {}),
        ...(until ? { notAfterDate: until } : {}),
        extensions: [
          { name: 'basicConstraints', cA: false },
          {
            name: 'subjectAltName',
            altNames: name ? [{ type: 2, value: name }] : [{ type: 7, ip: '127.0.0.1' }],
          },
        ],
      })
      return { cert: made.cert, key: made.private }
    },
  }
}

export interface RawReceiver {
  port: number
  /** The requests, as their bytes came. */
  requests: string[]
  /** SNI of each connection; false without one. */
  names: (string | false | null)[]
  close(): void
}

/** A TLS server whose answers are written by hand, byte by byte. */
export async function startRawReceiver(
  certificate: { cert: string; key: string },
  answer: (socket: TLSSocket) => void,
): Promise<RawReceiver> {
  const requests: string[] = []
  const names: RawReceiver['names'] = []
  const sockets = new Set<TLSSocket>()
  const server: Server = createServer(certificate, (socket) => {
    sockets.add(socket)
    names.push(socket.servername)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      requests.push(text)
      text = ''
      answer(socket)
    })
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    names,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
