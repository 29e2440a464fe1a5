import type { Principal } from '@notify/contracts'
import { Problem, Reply } from '@notify/service-kit'
import { type Kysely, sql } from 'kysely'
import type { Queries, Run } from './open.ts'

/** Table of the answers that a repeated request gets again, for a service's migrations. */
export async function createIdempotencyTable(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table idempotency_keys (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status smallint not null,
      response text not null,
      expires_at timestamptz not null default now() + interval '24 hours',
      primary key (scope, key)
    )`.execute(db)
  await sql`create index idempotency_keys_expires_at on idempotency_keys (expires_at)`.execute(db)
}

export interface IdempotentRequest {
  /** Who asks for what, of {@link idempotencyScope}: keys of one never meet those of another. */
  scope: string
  key: string
  /** Keyed HMAC of the canonical body. */
  fingerprint: string
}

/**
 * Within what an Idempotency-Key is the same: an application or an operator, and a path. What an application does with its
 * test keys is apart: the answer to a message that went to the sandbox is none for one that is to be sent.
 */
export function idempotencyScope(principal: Principal, path: string): string {
  return `${callerOf(principal)} POST ${path}`
}

function callerOf(principal: Principal): string {
  if (principal.kind === 'operator') return `${principal.tenant_id} ${principal.subject}`
  return principal.mode === 'live' ? principal.application_id : `${principal.application_id} ${principal.mode}`
}

interface StoredAnswer {
  fingerprint: string
  status: number
  response: string
}

const findStored = `select fingerprint, status, response from idempotency_keys
  where scope = $1 and key = $2 and expires_at > now()`
const deletionBatch = 1000
const lockNotAvailable = '55P03'

/**
 * Runs an effect once for a key: the record commits with the effect. A twin waits for the one under way, for as long as the
 * connection's lock timeout (5 s).
 * @throws Problem `idempotency_conflict` for another body, `idempotency_in_progress` when the wait was in vain
 */
export async function runIdempotently(
  db: Queries,
  { scope, key, fingerprint }: IdempotentRequest,
  effect: (run: Run) => Promise<Reply>,
): Promise<Reply> {
  try {
    return await db.transaction(async (run) => {
      // The row is taken before the effect, so that a twin waits here; its answer is filled in below.
      const taken = await run(
        `insert into idempotency_keys (scope, key, fingerprint, status, response) values ($1, $2, $3, 0, '')
         on conflict (scope, key) do update
           set fingerprint = $3, status = 0, response = '', expires_at = now() + interval '24 hours'
           where idempotency_keys.expires_at < now()
         returning key`,
        [scope, key, fingerprint],
      )
      if (taken.length === 0) {
        const [stored] = await run<StoredAnswer>(findStored, [scope, key])
        if (!stored) throw inProgress()
        return replay(stored, fingerprint)
      }
      const reply = await effect(run)
      await run(`update idempotency_keys set status = $3, response = $4 where scope = $1 and key = $2`, [
        scope,
        key,
        reply.status,
        reply.text,
      ])
      return reply
    })
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error
  }
}

/**
 * The answer that a key was given before; for routes whose effect needs something costly that a repetition does not.
 * @throws Problem `idempotency_conflict` for another body
 */
export async function findReplay(
  { run }: Pick<Queries, 'run'>,
  { scope, key, fingerprint }: IdempotentRequest,
): Promise<Reply | undefined> {
  const [stored] = await run<StoredAnswer>(findStored, [scope, key])
  return stored && replay(stored, fingerprint)
}

/** Whether a row that the statement needed stayed in somebody else's hands for too long. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: string }).code === lockNotAvailable
}

/** The first answer again, or the conflict. */
function replay(stored: StoredAnswer, fingerprint: string): Reply {
  if (stored.fingerprint !== fingerprint) throw idempotencyConflict()
  return new Reply(stored.status, stored.response, { 'Idempotent-Replayed': 'true' })
}

export function idempotencyConflict(): Problem {
  return new Problem(
    'idempotency_conflict',
    'This Idempotency-Key was used with another body; use a new key for a new request',
  )
}

export function inProgress(): Problem {
  return new Problem(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still under way; try again shortly',
  )
}

/** Deletes records whose time is over; returns whether more are left. */
export async function deleteExpiredKeys(db: Queries): Promise<boolean> {
  const deleted = await db.run(
    `delete from idempotency_keys where (scope, key) in (
       select scope, key from idempotency_keys where expires_at < now() limit ${deletionBatch})
     returning 1`,
  )
  return deleted.length === deletionBatch
}
