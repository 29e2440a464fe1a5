import type { verifyOtp as contract, Id, KeyPrincipal } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { type Handler, type HttpRequest, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { VerifyOutcome } from '../metrics.ts'
import { requireOpen, unknownTransaction } from './refusals.ts'
import { standingOf } from './standing-store.ts'
import { mostAttempts, type Tried, type Try, tryCodesOf } from './try-codes.ts'

/** Verifies a code. With an Idempotency-Key the response commits with the verification; wrong codes count as well. */
export const verifyCode: Handler<Context, typeof contract> = async (context, request) => {
  if (request.idempotencyKey === undefined) {
    const one = tryOf(context, request)
    return judge(context, request, await context.tryCode(one), context.db.run)
  }
  return keyed(context, request)
}

const keyed = idempotent<Context, typeof contract>({
  async effect(context, request, run) {
    const [tried] = await tryCodesOf(run, [tryOf(context, request)])
    try {
      return await judge(context, request, tried, run)
    } catch (problem) {
      // After a failed statement nothing can be committed.
      if (!(problem instanceof Problem) || problem.code === 'service_unavailable') throw problem
      // Thrown here, it would roll back the count of wrong codes.
      return { refuse: problem }
    }
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})

type Request = HttpRequest<typeof contract>

function tryOf({ secrets }: Context, { body, principal, span }: Request): Try {
  const { transaction_id: id, code } = body
  const { application_id, mode } = principal
  return { id, application_id, mode, ...secrets.codeProof.challenge(id, code), traceparent: span.traceparent ?? null }
}

/** @throws Problem with the reason why the code was not accepted */
async function judge(
  { metrics }: Context,
  { body, principal }: Request,
  tried: Tried | undefined,
  run: Run,
): Promise<Reply> {
  try {
    if (!tried) throw await explain(run, body.transaction_id, principal)
    if (!tried.verified_at) throw wrongCode(mostAttempts - tried.attempts)
  } catch (problem) {
    if (problem instanceof Problem) metrics.verification(principal.mode, problem.code as VerifyOutcome)
    throw problem
  }
  metrics.verification(principal.mode, tried.is_custom ? 'verified_custom' : 'verified')
  const verified_at = tried.verified_at.toISOString()
  return new Reply(200, JSON.stringify({ status: 'verified', transaction_id: tried.id, verified_at }))
}

async function explain(run: Run, id: Id<'otp'>, { application_id, mode }: KeyPrincipal): Promise<Problem> {
  const standing = await standingOf(run, { id, application_id, mode })
  if (!standing) return unknownTransaction()
  requireOpen(standing)
  // A concurrent resend has reopened it.
  return new Problem('service_unavailable', 'Another request is changing this transaction; try again')
}

function wrongCode(attemptsRemaining: number): Problem {
  return new Problem('otp_invalid_code', 'The code is wrong', { attemptsRemaining })
}
