import { omit, pick } from '../columns.ts'
import type { Queries, Run } from '../open.ts'
import { prepared } from '../query.ts'
import { build, sharedTables } from '../shared-tables.ts'
import { defineStatement } from '../statement.ts'

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** From `idempotencyScope`; keys of different scopes are independent. */
  scope: string
  key: string
  /** Keyed HMAC of the canonical body. */
  fingerprint: string
}

/** The record of a key. */
export interface StoredAnswer extends KeyedRequest {
  /** Status of the response, or {@link unfinished}. */
  status: number
  /** Text of the response, or the state of an unfinished request. */
  response: string
}

/** Status of a record that is not a response yet; a repetition continues from it. */
export const unfinished = 0

const deletionBatch = 1000

/**
 * SQL: stores responses under their keys. Skips existing keys, unless they are expired or the row continues the
 * unfinished record. Rows are sorted by key, so that two statements never deadlock.
 * @param source rows with `scope`, `key`, `fingerprint`, `status` and `response`, whose keys are locked by `tryKeySql`
 */
export const keysInto = (source: string): string => `
  insert into idempotency_keys (scope, key, fingerprint, status, response)
  select scope, key, fingerprint, status, response from ${source} order by scope, key
  on conflict (scope, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response,
        expires_at = now() + interval '24 hours'
    where idempotency_keys.expires_at < now()
      or (idempotency_keys.status = ${unfinished} and idempotency_keys.fingerprint = excluded.fingerprint
        and idempotency_keys.response = excluded.response)
  returning scope, key`

/**
 * `offset 0` makes the plan look up each key alone. With a join, a plan cached while the table was small could later scan
 * all of it.
 */
const find = defineStatement({
  name: 'find-idempotency-keys',
  text: `select found.* from (select distinct * from json_to_recordset($1::json) as t (scope text, key text)) as wanted
         cross join lateral (
           select scope, key, fingerprint, status, response from idempotency_keys kept
           where kept.scope = wanted.scope and kept.key = wanted.key and expires_at > now() offset 0) as found`,
  columns: omit(sharedTables.idempotency_keys, 'expires_at'),
})

/** The records of these keys. */
export function findAnswers(run: Run, keys: readonly Pick<KeyedRequest, 'scope' | 'key'>[]): Promise<StoredAnswer[]> {
  return run(find, [JSON.stringify(keys.map(({ scope, key }) => ({ scope, key })))])
}

/**
 * SQL: whether this transaction may use a key. The lock is tried and not awaited, so that no request waits for a key while
 * it holds a connection. If it succeeds, `keysInto` sees the commits of earlier holders.
 */
export const tryKeySql = (scope: string, key: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(${scope} || ' ' || ${key}, 0))`

const claim = defineStatement({
  name: 'claim-idempotency-key',
  text: keysInto(`(
    select $1::text as scope, $2::text as key, $3::text as fingerprint, ${unfinished} as status, $4::text as response
    where ${tryKeySql('$1::text', '$2::text')}) as claimed`),
  columns: pick(sharedTables.idempotency_keys, 'scope', 'key'),
})

/**
 * Claims a key for the rest of the transaction.
 * @param seen state of the unfinished record as read before; empty if there was none
 * @returns false when another transaction holds the key or its record has changed
 */
export async function claimKey(run: Run, { scope, key, fingerprint }: KeyedRequest, seen: string): Promise<boolean> {
  return (await run(claim, [scope, key, fingerprint, seen])).length > 0
}

const save = prepared('save-idempotent-answer', ({ scope, key, status, response }: Omit<StoredAnswer, 'fingerprint'>) =>
  build.updateTable('idempotency_keys').set({ status, response }).where('scope', '=', scope).where('key', '=', key),
)

/** Stores the response of a claimed key. */
export async function saveAnswer(
  run: Run,
  { scope, key }: KeyedRequest,
  { status, response }: Pick<StoredAnswer, 'status' | 'response'>,
): Promise<void> {
  await run(save({ scope, key, status, response }))
}

const finish = prepared(
  'finish-idempotent-answer',
  ({ scope, key, status, response }: Omit<StoredAnswer, 'fingerprint'>) =>
    build
      .updateTable('idempotency_keys')
      .set({ status, response })
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('status', '=', unfinished)
      .returning('key'),
)

/** Stores the response of a committed, unfinished request. @returns false when a repetition has stored its own */
export async function finishAnswer(
  run: Run,
  { scope, key }: KeyedRequest,
  { status, response }: Pick<StoredAnswer, 'status' | 'response'>,
): Promise<boolean> {
  return (await run(finish({ scope, key, status, response }))).length > 0
}

const release = prepared(
  'release-idempotency-key',
  ({ scope, key, response }: Pick<StoredAnswer, 'scope' | 'key' | 'response'>) =>
    build
      .deleteFrom('idempotency_keys')
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('status', '=', unfinished)
      .where('response', '=', response),
)

/** Deletes the record of a refused request, unless a repetition has continued it meanwhile: then its state is another. */
export async function releaseKey(run: Run, { scope, key }: KeyedRequest, state: string): Promise<void> {
  await run(release({ scope, key, response: state }))
}

const deleteExpired = defineStatement({
  name: 'delete-expired-keys',
  isPrepared: false,
  text: `
    delete from idempotency_keys where (scope, key) in (
      select scope, key from idempotency_keys where expires_at < now() limit ${deletionBatch})
    -- A request may renew a record after it was found.
    and expires_at < now() returning key`,
  columns: pick(sharedTables.idempotency_keys, 'key'),
})

/** Deletes expired records; returns whether more are left. */
export async function deleteExpiredKeys(db: Queries): Promise<boolean> {
  return (await db.runLong(deleteExpired)).length === deletionBatch
}
