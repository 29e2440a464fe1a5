import type { Id } from '@notify/contracts'
import { withSavepoint } from '@notify/database'
import { ownLoopTurn, Problem } from '@notify/service-kit'
import { type AcceptContext, type NewNotification, refusalOf } from '../../accept/accept-item.ts'
import { type CommitOutcome, commitJudged, queueOf, urgencyOf, type WithLockWatch } from '../../accept/commit-judged.ts'
import { judgeCandidate } from '../../accept/judge-candidate.ts'
import { optedOutReason } from '../../catalogue/preferences/opted-out-because.ts'
import { messageOf, openDigest, type ReadDigest } from './digest-message.ts'
import { type DueDigest, type ItemRow, postponeDigests, readItems } from './due-store.ts'
import { digestedReason, type EndedDigest, endDigests, lockDigests } from './end-store.ts'

export type ClosingContext = AcceptContext & WithLockWatch

/** The pause after a refusal that passes. */
const retryMs = 5000

/** Refusals that an operator may mend: the digest waits for it, up to `HOLD_LIMIT`. */
const mendable: readonly string[] = ['provider_not_configured', 'domain_not_verified', 'template_not_approved']

/** A digest with its message, or why it has none. */
interface JudgedDigest {
  digest: DueDigest
  /** Of its items when they were read. */
  total: number
  verdict: NewNotification | Problem | undefined
}

/**
 * Closes digests that take no further items: in one transaction each gets its message, its items end, and its row is deleted. A
 * worker that dies before leaves all as it was. Items that ended since they were read are counted again in the next round.
 */
export async function closeDigests(context: ClosingContext, digests: readonly DueDigest[]): Promise<void> {
  const { db, metrics, log } = context
  const rows = Map.groupBy(await readItems(db, digests), ({ digest_id }) => digest_id)
  await ownLoopTurn()
  const judged = await Promise.all(digests.map((digest) => judge(context, digest, rows.get(digest.id) ?? [])))
  const ready = judged.filter((one) => !waitsFor(context, one))
  const later = new Set<Id<'dig'>>(judged.filter((one) => !ready.includes(one)).map(({ digest }) => digest.id))
  const sent = await db.transaction(async (run) => {
    const totals = await lockDigests(
      run,
      ready.map(({ digest }) => digest.id),
    )
    const mine = ready.filter(({ digest, total }) => totals.get(digest.id) === total)
    for (const { digest } of ready)
      if (totals.has(digest.id) && !mine.some((one) => one.digest === digest)) later.add(digest.id)
    const messages = mine.flatMap(({ verdict }) =>
      verdict === undefined || verdict instanceof Problem ? [] : [verdict],
    )
    const committed = await commitJudged(context, messages, (work) => withSavepoint(run, () => work(run)))
    const outcomeOf = new Map(messages.map((message, at) => [message, committed[at]!]))
    const ended: EndedDigest[] = []
    for (const { digest, verdict } of mine) {
      const outcome = verdict === undefined || verdict instanceof Problem ? verdict : outcomeOf.get(verdict)!
      if (outcome instanceof Problem && passes(outcome)) later.add(digest.id)
      else ended.push({ digest_id: digest.id, ...endOf(outcome) })
    }
    const items = await endDigests(run, ended)
    return { messages, items, closed: ended.filter(({ reason }) => reason === digestedReason).length }
  })
  context.wakeOutbox(urgencyOf(context.channels, sent.messages))
  context.wakeSenders(sent.messages.flatMap((one) => queueOf(context.channels, one)))
  metrics.digestsClosed(sent.closed, sent.items)
  if (later.size > 0) await postponeDigests(db, [...later], retryMs)
  for (const { digest, verdict } of judged)
    if (verdict instanceof Problem)
      log.warn({ digest_id: digest.id, tenant_id: digest.tenant_id, code: verdict.code }, 'a digest has no message')
}

async function judge(context: ClosingContext, digest: DueDigest, rows: readonly ItemRow[]): Promise<JudgedDigest> {
  try {
    const read = openDigest(context, digest, rows)
    if (!read) return { digest, total: 0, verdict: undefined }
    return { digest, total: read.total, verdict: await compose(context, read) }
  } catch (error) {
    return { digest, total: rows[0]?.total ?? 0, verdict: refusalOf(error) }
  }
}

/** Fewer items make a text shorter, where that is at fault. */
async function compose(context: ClosingContext, read: ReadDigest): Promise<NewNotification | Problem> {
  for (let most = read.items.length; ; most = Math.floor(most / 2)) {
    const verdict = await judgeCandidate(context, messageOf(context, read, most)).catch(refusalOf)
    if (!(verdict instanceof Problem) || verdict.code !== 'validation_failed' || most <= 1) return verdict
  }
}

const passes = ({ status }: Problem): boolean => status >= 500 || status === 429

/** Whether a digest without a message is tried again. */
function waitsFor({ config }: ClosingContext, { digest, verdict }: JudgedDigest): boolean {
  if (!(verdict instanceof Problem)) return false
  const isMendable = passes(verdict) || mendable.includes(verdict.code)
  return isMendable && Date.now() - digest.closes_at.getTime() < config.HOLD_LIMIT
}

/** How the items end, for what became of the message. */
function endOf(outcome: CommitOutcome | undefined): Omit<EndedDigest, 'digest_id'> {
  if (!(outcome instanceof Problem)) return { status: 'cancelled', reason: digestedReason }
  if (outcome.code === optedOutReason) return { status: 'cancelled', reason: optedOutReason }
  return { status: 'failed', reason: `${outcome.code}: ${outcome.message}`.slice(0, 500) }
}
