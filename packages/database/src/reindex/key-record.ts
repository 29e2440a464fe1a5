import { type IndexKeys, keysFingerprint, olderKeys } from '@notify/privacy'
import { Unready } from '@notify/service-kit'
import type { Client } from 'pg'
import { column } from '../columns.ts'
import type { Queries, Run } from '../queries.ts'
import { sharedTables } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'

const { keys, becoming } = sharedTables.blind_index_keys

/** The fingerprint of the keys of a schema's indexes, and of those that `reindex` is adding. */
export interface KeyRecord {
  keys: string
  becoming: string | null
}

export const readKeyRecord = defineStatement({
  name: 'read-index-keys',
  isPrepared: false,
  text: 'select keys, becoming from blind_index_keys',
  columns: { keys, becoming },
})

const recordKeys = defineStatement({
  name: 'record-index-keys',
  isPrepared: false,
  text: 'insert into blind_index_keys (keys) values ($1) on conflict do nothing',
})

const lockRecord = defineStatement({
  name: 'lock-index-keys',
  isPrepared: false,
  text: 'select keys, becoming from blind_index_keys for update',
  columns: { keys, becoming },
})

const startRenewal = defineStatement({
  name: 'start-renewal',
  isPrepared: false,
  text: `update blind_index_keys set becoming = $1, reached = '{}' where becoming is distinct from $1`,
})

const endRenewal = defineStatement({
  name: 'end-renewal',
  isPrepared: false,
  text: `update blind_index_keys set keys = $1, becoming = null, reached = '{}' where becoming = $1 returning keys`,
  columns: { keys },
})

const findSessions = defineStatement({
  name: 'count-sessions-of-servers',
  isPrepared: false,
  text: `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and usename = current_user and application_name = $1 and pid <> pg_backend_pid()`,
  columns: { count: column.integer() },
})

const differs = 'BLIND_INDEX_KEY differs from the one in the database: run main.mjs reindex'

/** @throws Unready when the schema's indexes are under other keys */
export function requireKeys(record: KeyRecord | undefined, wanted: string): void {
  if (record?.becoming) throw new Unready('blind indexes are being renewed: run main.mjs reindex until it ends')
  if (record && record.keys !== wanted) throw new Unready(differs)
}

/** Records the keys of a schema that has no record yet. */
export async function recordKeysOnce({ run }: Pick<Queries, 'run'>, indexKeys: IndexKeys): Promise<void> {
  await run(recordKeys, [keysFingerprint(indexKeys)])
}

/** For commands that search by blind index: with other keys they would find nothing. @throws Unready */
export async function requireSameKeys({ run }: Pick<Queries, 'run'>, indexKeys: IndexKeys): Promise<void> {
  const [record] = await run(readKeyRecord)
  requireKeys(record, keysFingerprint(indexKeys))
}

/** The same for a connection of its own: moved rows must have indexes under the keys of their schema. @throws Unready */
export async function requireKeysOf(client: Pick<Client, 'query'>, indexKeys: IndexKeys | undefined): Promise<void> {
  if (!indexKeys) return
  const { rows } = await client.query<KeyRecord>(readKeyRecord.text)
  requireKeys(rows[0], keysFingerprint(indexKeys))
}

/** How many sessions of other processes of the service are open. */
export async function countSessions({ run }: Pick<Queries, 'run'>, schema: string): Promise<number> {
  const [row] = await run(findSessions, [schema])
  return row!.count
}

/**
 * @returns whether the indexes lack keys of this list
 * @throws Error when the list does not begin with the keys of the indexes, or a renewal with another list has begun
 */
function lackKeysOf(indexKeys: IndexKeys, record: KeyRecord | undefined): boolean {
  const older = olderKeys(indexKeys).map(keysFingerprint)
  const wanted = keysFingerprint(indexKeys)
  if (!record) throw new Error('no server has recorded the keys yet: start one with the present BLIND_INDEX_KEY first')
  if (record.keys === wanted && record.becoming === null) return false
  if (!older.includes(record.keys))
    throw new Error('BLIND_INDEX_KEY must be the list with which the indexes were made, and behind it the new key')
  if (record.becoming !== null && ![...older, wanted].includes(record.becoming))
    throw new Error('another list of keys was begun: put its keys into BLIND_INDEX_KEY and run the command again')
  return true
}

/** @returns false when every index is under all keys already @throws Error when the list cannot be applied */
export async function needsRenewal({ run }: Pick<Queries, 'run'>, indexKeys: IndexKeys): Promise<boolean> {
  return lackKeysOf(indexKeys, (await run(readKeyRecord))[0])
}

/** Records that a renewal to this list has begun. @throws Error when the list cannot be applied */
export async function beginRenewal(run: Run, indexKeys: IndexKeys): Promise<void> {
  if (lackKeysOf(indexKeys, (await run(lockRecord))[0])) await run(startRenewal, [keysFingerprint(indexKeys)])
}

/** @throws Error when another list was begun meanwhile */
export async function finishRenewal({ run }: Pick<Queries, 'run'>, indexKeys: IndexKeys): Promise<void> {
  const wanted = keysFingerprint(indexKeys)
  const [ended] = await run(endRenewal, [wanted])
  if (ended) return
  const [record] = await run(readKeyRecord)
  if (record?.keys !== wanted) throw new Error('another list of keys was begun meanwhile')
}
