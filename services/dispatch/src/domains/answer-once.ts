import type { Principal } from '@notify/contracts'
import { findReplay, idempotencyScope, type Run, runIdempotently } from '@notify/database'
import type { Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'

interface IdempotentCall {
  principal: Principal
  idempotencyKey: string | undefined
  url: string
  body?: unknown
}

interface Work<Prepared> {
  /** What takes time and may be done in vain: it holds no connection, and a repetition is spared it. */
  prepare(): Promise<Prepared>
  effect(run: Run, prepared: Prepared): Promise<Reply>
}

/** Answers a POST: with an Idempotency-Key its effect happens once for the caller, and a repetition gets the first answer again. */
export async function answerOnce<Prepared>(
  { db, secrets }: Context,
  { principal, idempotencyKey, url, body }: IdempotentCall,
  { prepare, effect }: Work<Prepared>,
): Promise<Reply> {
  if (idempotencyKey === undefined) {
    const prepared = await prepare()
    return db.transaction((run) => effect(run, prepared))
  }
  const record = {
    scope: idempotencyScope(principal, url),
    key: idempotencyKey,
    fingerprint: secrets.fingerprint(body ?? null),
  }
  const replay = await findReplay(db, record)
  if (replay) return replay
  const prepared = await prepare()
  return runIdempotently(db, record, (run) => effect(run, prepared))
}
