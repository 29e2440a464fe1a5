import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of PEM files: a local certificate authority and the certificates that it signed. */
export interface Certificates {
  ca: string
  server: { cert: string; key: string }
  client: { cert: string; key: string }
}

/** Creates a certificate authority, a server certificate for 127.0.0.1 and localhost, and a client certificate. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const { generate } = await import('selfsigned')
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const settings = { keyType: 'ec' as const, algorithm: 'sha256' }
  const ca = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...settings,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const sign = async (name: string) => {
    const made = await generate([{ name: 'commonName', value: name }], {
      ...settings,
      ca: { key: ca.private, cert: ca.cert },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: name === 'server', clientAuth: name === 'client' },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    })
    return { cert: write(`${name}.pem`, made.cert), key: write(`${name}-key.pem`, made.private) }
  }
  return { ca: write('ca.pem', ca.cert), server: await sign('server'), client: await sign('client') }
}
