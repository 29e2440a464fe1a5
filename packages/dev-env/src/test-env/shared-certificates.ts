import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificates, certificatesIn, makeCertificates } from '../infrastructure/make-certificates.ts'

/** Environment variable with the folder of the certificates that the tests of a run share. */
const variable = 'NOTIFY_TEST_CERTIFICATES'

/** Makes certificates for all tests of a run: loading the library and making them costs more than a database. */
export async function shareCertificates(): Promise<{ remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'notify-test-certificates-'))
  await makeCertificates(folder)
  process.env[variable] = folder
  return { remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The certificates of this run; undefined outside a run. */
export function sharedCertificates(): Certificates | undefined {
  const folder = process.env[variable]
  return folder === undefined ? undefined : certificatesIn(folder)
}
