import type { CarrierAnswer } from '@notify/carriers/sending'
import { type Channel, type Id, SuppressionChannel } from '@notify/contracts'
import { defineStatement } from '@notify/database'
import type { ListedProvider } from '../catalogue/providers/provider-directory.ts'
import { suppress } from '../catalogue/suppressions/suppression-store.ts'
import type { Context } from '../context.ts'
import type { WithFailureCount } from '../outcome/failures/count-failures.ts'
import type { SentAttempts } from '../outcome/receipts/sent-attempts.ts'
import type { Claim } from './claim/claim-store.ts'
import type { Claims } from './claim/claim-work.ts'
import type { NextStep } from './settle/decide-next.ts'

/** What recording needs of the context. */
export type RecordContext = Pick<Context, 'db' | 'log' | 'metrics' | 'secrets'> &
  WithFailureCount & { sentAttempts: SentAttempts }

/** How a claimed attempt ended. */
export interface EndedAttempt {
  claim: Claim
  /** Null when no provider was called. */
  provider: ListedProvider | null
  answer: CarrierAnswer
  next: NextStep
}

/** Records how an attempt ended: in the tables, the metrics and the log. */
export async function recordAttempt(context: RecordContext, claims: Claims, ended: EndedAttempt): Promise<void> {
  const { claim, provider, answer, next } = ended
  if (answer.suppress) await suppressRecipient(context, claims, claim, answer.suppress)
  if (answer.refusedCopies) await noteRefusedCopies(context, claim, answer.refusedCopies)
  await claims.settle({
    notificationId: claim.id,
    attemptNumber: claim.attempt_count,
    attemptId: claim.attempt_id,
    leaseExpired: false,
    providerId: provider?.id ?? null,
    outcome: answer.outcome,
    code: answer.code,
    message: answer.message,
    providerMessageId: answer.providerMessageId,
    next,
  })
  if (next.status === 'sent') context.sentAttempts.add(claim.attempt_id)
  context.metrics.attempt(claim.channel, provider?.kind ?? 'none', claim.mode, answer.outcome)
  if (provider && answer.outcome !== 'accepted') {
    const { mode, channel } = claim
    context.countFailure({
      mode,
      channel,
      providerId: provider.id as Id<'prov'>,
      code: answer.code,
      reason: answer.message,
    })
  }
  logAttempt(context, ended)
}

const canBeSuppressed = (channel: Channel): channel is SuppressionChannel =>
  SuppressionChannel.safeParse(channel).success

/** If Postgres refuses the suppression, the result is still recorded. */
async function suppressRecipient(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { persist }: Claims,
  { id, tenant_id, channel, mode, recipient_index, recipient_masked }: Claim,
  reason: NonNullable<CarrierAnswer['suppress']>,
): Promise<void> {
  // The sandbox's recipients are not real.
  if (mode === 'test' || !canBeSuppressed(channel)) return
  try {
    const known = { tenant_id, channel, recipient_index, recipient_masked, reason, source_notification_id: id }
    await persist(() => suppress(db.run, [known]))
    log.info({ notification_id: id, reason }, 'recipient suppressed')
  } catch (error) {
    log.error({ notification_id: id, reason, err: error }, 'a recipient could not be suppressed')
  }
}

const noteRefused = defineStatement({
  name: 'note-refused-copies',
  text: `
    update copies set refused = input.reason
    from json_to_recordset($2::json) as input (recipient_index text, reason text)
    where notification_id = $1 and copies.recipient_index = input.recipient_index`,
})

const longestReason = 500

/** If the refused copies cannot be recorded, the result still is. */
async function noteRefusedCopies(
  { db, log, secrets }: Pick<Context, 'db' | 'log' | 'secrets'>,
  { id, tenant_id }: Claim,
  refused: NonNullable<CarrierAnswer['refusedCopies']>,
): Promise<void> {
  const input = refused.map(({ to, reason }) => ({
    recipient_index: secrets.blindIndex(tenant_id, to),
    reason: reason.slice(0, longestReason).toWellFormed(),
  }))
  try {
    await db.run(noteRefused, [id, JSON.stringify(input)])
  } catch (error) {
    log.error({ notification_id: id, err: error }, 'refused copies could not be recorded')
  }
}

/**
 * One wide line for each attempt, without recipient and text. The carrier's id of the message is left out, because it may
 * contain the number.
 */
function logAttempt({ log }: Pick<Context, 'log'>, { claim, provider, answer, next }: EndedAttempt): void {
  log.info(
    {
      notification_id: claim.id,
      attempt_id: claim.attempt_id,
      attempt: claim.attempt_count,
      channel: claim.channel,
      lane: claim.lane,
      provider_id: provider?.id ?? null,
      outcome: answer.outcome,
      code: answer.code,
      next: next.status,
    },
    'attempt',
  )
}
