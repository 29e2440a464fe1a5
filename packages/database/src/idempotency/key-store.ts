import type { Queries, Run, Statement } from '../open.ts'

/** A key as one caller uses it for one route. */
export interface KeyedRequest {
  /** Who asks for what, of `idempotencyScope`: keys of one never meet those of another. */
  scope: string
  key: string
  /** Keyed HMAC of the canonical body. */
  fingerprint: string
}

/** What is kept under a key. */
export interface StoredAnswer extends KeyedRequest {
  /** Status of the answer; {@link unfinished} when the request is not done yet. */
  status: number
  /** The answer's text, or what the effect of an unfinished request has written down. */
  response: string
}

/** The status of a record that is no answer yet: a repetition goes on from it. */
export const unfinished = 0

const deletionBatch = 1000

/**
 * SQL: keeps answers under their keys. A key that is taken is passed over, unless its time is over or the row goes on from the
 * unfinished record that stands there. Keys are written in their order, so that two statements never wait for each other.
 * @param source rows with `scope`, `key`, `fingerprint`, `status` and `response`
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

/** "Offset 0" looks up each key by itself: joined, a plan made while the table was small would later read all of it. */
const find: Statement = {
  name: 'find-idempotency-keys',
  text: `select found.* from (select distinct * from unnest($1::text[], $2::text[])) as wanted (scope, key)
         cross join lateral (
           select scope, key, fingerprint, status, response from idempotency_keys kept
           where kept.scope = wanted.scope and kept.key = wanted.key and expires_at > now() offset 0) as found`,
}

/** What is kept under these keys. */
export function findAnswers(run: Run, keys: readonly Pick<KeyedRequest, 'scope' | 'key'>[]): Promise<StoredAnswer[]> {
  return run<StoredAnswer>(find, [keys.map(({ scope }) => scope), keys.map(({ key }) => key)])
}

/** The lock is tried, not waited for: who waits for a key holds no connection. */
const claim: Statement = {
  name: 'claim-idempotency-key',
  text: keysInto(`(
    select $1::text as scope, $2::text as key, $3::text as fingerprint, ${unfinished} as status, $4::text as response
    where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))) as claimed`),
}

/**
 * Takes a key for the rest of the transaction.
 * @param seen what the unfinished record was seen to hold; empty when there was none
 * @returns whether it is ours: not while another transaction has it, nor when its record is another by now
 */
export async function claimKey(run: Run, { scope, key, fingerprint }: KeyedRequest, seen: string): Promise<boolean> {
  return (await run(claim, [scope, key, fingerprint, seen])).length > 0
}

const save: Statement = {
  name: 'save-idempotent-answer',
  text: `update idempotency_keys set status = $3, response = $4 where scope = $1 and key = $2`,
}

/** Keeps the answer under a key that this transaction has taken. */
export async function saveAnswer(
  run: Run,
  { scope, key }: KeyedRequest,
  { status, response }: Pick<StoredAnswer, 'status' | 'response'>,
): Promise<void> {
  await run(save, [scope, key, status, response])
}

/** Deletes records whose time is over; returns whether more are left. */
export async function deleteExpiredKeys(db: Queries): Promise<boolean> {
  const deleted = await db.runLong(
    `delete from idempotency_keys where (scope, key) in (
       select scope, key from idempotency_keys where expires_at < now() limit ${deletionBatch})
     returning 1`,
  )
  return deleted.length === deletionBatch
}
