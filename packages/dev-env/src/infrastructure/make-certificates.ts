import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dayMs = 86_400_000

/** Paths of PEM files: a local certificate authority and the certificates that it signed. */
export interface Certificates {
  ca: string
  server: { cert: string; key: string }
  client: { cert: string; key: string }
}

/** The paths of the certificates that {@link makeCertificates} made in this folder. */
export function certificatesIn(folder: string): Certificates {
  const pair = (name: string) => ({ cert: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) })
  return { ca: join(folder, 'ca.pem'), server: pair('server'), client: pair('client') }
}

/** Creates a certificate authority, a server certificate for 127.0.0.1 and localhost, and a client certificate. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const { generate } = await import('selfsigned')
  mkdirSync(folder, { recursive: true })
  const paths = certificatesIn(folder)
  const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 })
  // Valid for clocks that are behind, too.
  const notBeforeDate = new Date(Date.now() - dayMs)
  const settings = { keyType: 'ec' as const, algorithm: 'sha256', notBeforeDate }
  const ca = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...settings,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const sign = async (name: 'server' | 'client') => {
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
    write(paths[name].cert, made.cert)
    write(paths[name].key, made.private)
  }
  write(paths.ca, ca.cert)
  await sign('server')
  await sign('client')
  return paths
}
