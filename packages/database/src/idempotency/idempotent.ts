import type { Principal, Route } from '@notify/contracts'
import type { Fingerprint, KeyRing } from '@notify/privacy'
import { type Handler, type HttpRequest, type Reply, requireAwaited } from '@notify/service-kit'
import type { Queries, Run } from '../open.ts'
import { idempotencyScope } from './idempotency-scope.ts'
import { sealOf } from './response-seal.ts'
import { type Result, replyOf, runIdempotently, type Work } from './run-idempotently.ts'

/** What a service's context needs for idempotency. */
interface Keyed {
  db: Queries
  secrets: { fingerprint: Fingerprint; keyRing: KeyRing }
}

/** The steps of a POST, in order. */
export interface Steps<Context, R extends Route, Prepared> {
  /**
   * Validates, renders and calls others. Holds no connection, and its result may be discarded.
   * @param done the state of an unfinished earlier request with this key, see {@link Result}
   */
  prepare?(context: Context, request: HttpRequest<R>, done?: string): Promise<Prepared>
  /** Writes in one transaction with the idempotency record; must use only `run`. */
  effect(context: Context, request: HttpRequest<R>, run: Run, prepared: Prepared): Promise<Result>
  /** Runs after the commit, and not for repetitions. */
  after?(context: Context, request: HttpRequest<R>, prepared: Prepared): void
}

/**
 * Makes the handler of a writing POST. With an Idempotency-Key the effect happens once, and repetitions return the
 * first response. Responses of `confidential` routes are stored encrypted.
 */
export function idempotent<Context extends Keyed, R extends Route, Prepared = undefined>({
  prepare,
  effect,
  after,
}: Steps<Context, R, Prepared>): Handler<Context, R> {
  return async (context, request) => {
    let committed: { prepared: Prepared } | undefined
    const work: Work<Prepared> = {
      prepare: async (done) => (await prepare?.(context, request, done)) as Prepared,
      async effect(run, prepared) {
        await requireAwaited(request.isAwaited)
        const result = await effect(context, request, run, prepared)
        committed = { prepared }
        return result
      },
    }
    const reply = await (request.idempotencyKey === undefined
      ? runOnce(context.db, work)
      : keyed(context, request, work))
    if (committed) after?.(context, request, committed.prepared)
    return reply
  }
}

/** Makes the handler of a POST without effects: repetitions return the same response. */
export function idempotentAnswer<Context extends Keyed, R extends Route>(
  answer: (context: Context, request: HttpRequest<R>) => Promise<Reply>,
): Handler<Context, R> {
  return (context, request) => {
    if (request.idempotencyKey === undefined) return answer(context, request)
    return keyed(context, request, {
      prepare: () => answer(context, request),
      effect: async (_run, reply: Reply) => reply,
    })
  }
}

async function runOnce<Prepared>(db: Queries, { prepare, effect }: Work<Prepared>): Promise<Reply> {
  const prepared = await prepare(undefined)
  return replyOf(await db.transaction((run) => effect(run, prepared)))
}

function keyed<R extends Route, Prepared>(
  { db, secrets }: Keyed,
  { contract, principal, params, body, idempotencyKey: key = '' }: HttpRequest<R>,
  work: Work<Prepared>,
): Promise<Reply> {
  const scope = idempotencyScope(principal as unknown as Principal, contract, params as Record<string, string>)
  const fingerprint = secrets.fingerprint(body ?? null)
  const options = contract.confidential ? { seal: sealOf(secrets.keyRing, scope, key) } : {}
  return runIdempotently(db, { scope, key, fingerprint }, work, options)
}
