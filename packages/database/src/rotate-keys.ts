import { setTimeout as delay } from 'node:timers/promises'
import { type KeyRing, keyIdOf } from '@notify/privacy'
import { type Logger, Problem } from '@notify/service-kit'
import type { Queries, Run } from './open.ts'
import { type EncryptedColumn, pageSize, type RotationStatements, rotationStatements } from './rotation-statements.ts'

/** The result for a column. */
export interface Rotation {
  /** Number of re-encrypted values. */
  rotated: number
  /** Unchanged, because the ring lacks the key: count by key id, `none` without a key id. */
  unknown: Record<string, number>
  /** Unchanged although the ring has the key: modified, or moved from another row. */
  unreadable: number
}

/** Limits of the values that are read and replaced at a time, because a payload may have megabytes. */
const mostValues = 100
const mostBytes = 4 * 1024 * 1024
/** Delays before a statement is repeated after a timeout or a lost connection. */
const repeatAfterMs = [200, 500, 1000, 2000, 5000]

/**
 * Re-encrypts every value of an older key with the current key. May run beside the service, be interrupted and repeated: a
 * value is replaced only if it is unchanged since it was read.
 * @param log logs each column, and failures by key id; never text or keys
 * @returns by `table.column`
 */
export async function rotateEncryptedColumns(
  db: Queries,
  columns: readonly EncryptedColumn[],
  keyRing: KeyRing,
  log: Logger,
): Promise<Record<string, Rotation>> {
  const rotations: Record<string, Rotation> = {}
  for (const column of columns) {
    const rotation = await rotateColumn(db, column, keyRing)
    const line = { table: column.table, column: column.column, key_id: keyRing.currentKeyId, ...rotation }
    const left = rotation.unreadable > 0 || Object.keys(rotation.unknown).length > 0
    if (left) log.error(line, `${rotation.rotated} values re-encrypted; some could not be decrypted and are unchanged`)
    else log.info(line, `${rotation.rotated} values re-encrypted`)
    rotations[`${column.table}.${column.column}`] = rotation
  }
  return rotations
}

/** A sentence on the values that were left unchanged; `undefined` if there are none. */
export function leftUnchanged(rotations: Readonly<Record<string, Rotation>>): string | undefined {
  const faults = Object.entries(rotations).flatMap(([name, { unknown, unreadable }]) => [
    ...Object.entries(unknown).map(([keyId, count]) =>
      keyId === 'none' ? `${count} in ${name} without a key id` : `${count} in ${name} of the unknown key ${keyId}`,
    ),
    ...(unreadable > 0 ? [`${unreadable} in ${name} that cannot be decrypted`] : []),
  ])
  return faults.length === 0 ? undefined : faults.join(', ')
}

async function rotateColumn(db: Queries, column: EncryptedColumn, keyRing: KeyRing): Promise<Rotation> {
  const statements = rotationStatements(column)
  const rotation: Rotation = { rotated: 0, unknown: {}, unreadable: 0 }
  let after = ''
  for (;;) {
    const heads = await patiently(db)(statements.readHeads, [after])
    const stale: StaleValue[] = []
    for (const { key, aad_values, head, bytes } of heads) {
      const keyId = head && keyIdOf(head)
      if (head === null || keyId === keyRing.currentKeyId) continue
      if (keyId && keyRing.holds(keyId)) stale.push({ key, aad: column.aad(...aad_values), bytes: bytes ?? 0 })
      else rotation.unknown[keyId ?? 'none'] = (rotation.unknown[keyId ?? 'none'] ?? 0) + 1
    }
    for (const part of partsOf(stale)) {
      const { rotated, unreadable } = await rotateValues(db, statements, keyRing, part)
      rotation.rotated += rotated
      rotation.unreadable += unreadable
    }
    if (heads.length < pageSize) return rotation
    after = heads.at(-1)!.key
  }
}

/** A value of an older key. */
interface StaleValue {
  key: string
  aad: string
  bytes: number
}

/** Groups values by row key into parts, each for one statement. */
function partsOf(values: readonly StaleValue[]): Map<string, string>[] {
  const parts: Map<string, string>[] = []
  let bytesLeft = 0
  for (const { key, aad, bytes } of values) {
    if (bytes > bytesLeft || (parts.at(-1)?.size ?? mostValues) >= mostValues) {
      parts.push(new Map())
      bytesLeft = mostBytes
    }
    parts.at(-1)!.set(key, aad)
    bytesLeft -= bytes
  }
  return parts
}

/**
 * Runs a background statement, and repeats it after a timeout or a lost connection. Every statement in this file may be
 * repeated.
 */
function patiently({ runLong }: Queries): Run {
  return async (statement, values) => {
    for (const waitMs of repeatAfterMs) {
      try {
        return await runLong(statement, values)
      } catch (error) {
        if (!(error instanceof Problem && error.code === 'service_unavailable')) throw error
      }
      await delay(waitMs)
    }
    return runLong(statement, values)
  }
}

/** Re-encrypts the values of these rows; values changed meanwhile are read again. */
async function rotateValues(
  db: Queries,
  { readValues, replaceValues }: RotationStatements,
  keyRing: KeyRing,
  aads: ReadonlyMap<string, string>,
): Promise<Pick<Rotation, 'rotated' | 'unreadable'>> {
  let rotated = 0
  let unreadable = 0
  const run = patiently(db)
  let left = [...aads.keys()]
  while (left.length > 0) {
    const known = await run(readValues, [left])
    const fresh = known
      .filter(({ sealed }) => keyIdOf(sealed) !== keyRing.currentKeyId)
      .flatMap(({ key: row, sealed }) => {
        const plain = read(keyRing, sealed, aads.get(row)!)
        return plain === undefined ? [] : [{ row, sealed, anew: keyRing.encrypt(plain, aads.get(row)!) }]
      })
    const done = await run(replaceValues, [
      fresh.map(({ row }) => row),
      fresh.map(({ sealed }) => sealed),
      fresh.map(({ anew }) => anew),
    ])
    const settled = new Set(done.map(({ key: row }) => row))
    rotated += settled.size
    unreadable += known.filter(({ sealed }) => keyIdOf(sealed) !== keyRing.currentKeyId).length - fresh.length
    left = fresh.map(({ row }) => row).filter((row) => !settled.has(row))
  }
  return { rotated, unreadable }
}

function read(keyRing: KeyRing, sealed: Buffer, aad: string): Buffer | undefined {
  try {
    return keyRing.decryptBytes(sealed, aad)
  } catch {
    return undefined
  }
}
