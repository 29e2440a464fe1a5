import {
  type BlindIndex,
  createBlindIndex,
  createFingerprint,
  type Fingerprint,
  type IndexKeys,
  parseKeyRing,
} from '@notify/privacy'

/**
 * A part of an export. Every line is encrypted and bound to its position, so that none can be changed, omitted or reordered
 * unnoticed.
 */
export type Part =
  | { part: 'begin'; service: string; applications: string[]; checks: Checks }
  | { part: 'table'; table: string; columns: string[] }
  | { part: 'rows'; rows: MovedRow[] }
  | { part: 'end'; counts: Record<string, number> }

export interface MovedRow {
  /** The row as JSON text of Postgres, without encrypted columns: JavaScript would round its numbers. */
  row: string
  /** Texts of the encrypted columns. */
  secrets: Record<string, string>
}

/** Values by which two cells compare their keys for lookups, without revealing them. */
export type Checks = Partial<Record<'BLIND_INDEX_KEY' | 'FINGERPRINT_KEY', string>>

interface Keys {
  BLIND_INDEX_KEY?: IndexKeys | undefined
  FINGERPRINT_KEY?: Buffer | undefined
}

export function checksOf({ BLIND_INDEX_KEY, FINGERPRINT_KEY }: Keys, tenantId: string): Checks {
  const index: BlindIndex | undefined = BLIND_INDEX_KEY && createBlindIndex(BLIND_INDEX_KEY)
  const fingerprint: Fingerprint | undefined = FINGERPRINT_KEY && createFingerprint(FINGERPRINT_KEY)
  return {
    ...(index && { BLIND_INDEX_KEY: index(tenantId, 'key of this cell') }),
    ...(fingerprint && { FINGERPRINT_KEY: fingerprint([tenantId, 'key of this cell']) }),
  }
}

export interface Transport {
  seal(part: Part): string
  /** @throws Error for a line of another tenant, service, place or key */
  open(line: string): Part
}

/** @param key base64 of 32 bytes, the same for the export and the import */
export function createTransport(key: string, { service, tenantId }: { service: string; tenantId: string }): Transport {
  const ring = parseKeyRing(`transport:${key}`)
  let sealed = 0
  let opened = 0
  const aad = (at: number) => `tenant-export|${service}|${tenantId}|${at}`
  return {
    seal: (part) => ring.encrypt(JSON.stringify(part), aad(sealed++)).toString('base64'),
    open(line) {
      try {
        return JSON.parse(ring.decrypt(Buffer.from(line, 'base64'), aad(opened++))) as Part
      } catch (error) {
        const what = `line ${opened} is not part of an export of ${tenantId} from ${service} under this TRANSPORT_KEY`
        throw new Error(what, { cause: error })
      }
    },
  }
}
