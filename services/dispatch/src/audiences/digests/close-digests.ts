import { type ErrorCode, optedOutReason } from '@notify/contracts'
import { type Run, withSavepoint } from '@notify/database'
import { createTenantTurns, ownLoopTurn, Problem } from '@notify/service-kit'
import { type AcceptContext, type NewNotification, refusalOf, waitFor } from '../../accept/accept-item.ts'
import { type CommitOutcome, commitJudged, queueOf, urgencyOf, type WithLockWatch } from '../../accept/commit-judged.ts'
import { judgeCandidate } from '../../accept/judge-candidate.ts'
import { messageOf, openDigest, type ReadDigest } from './digest-message.ts'
import { type DueDigest, type ItemRow, postponeDigests, readItems } from './due-store.ts'
import { digestedReason, type EndedDigest, endDigests } from './end-store.ts'
import { lockDigests } from './lock-store.ts'

export type ClosingContext = AcceptContext & WithLockWatch

/** The pause after a refusal that passes. */
const retryMs = 5000

/** A digest with its message, or why it has none. */
interface JudgedDigest {
  digest: DueDigest
  /** Of its items when they were read. */
  total: number
  verdict: NewNotification | Problem | undefined
}

/**
 * Closes digests of a tenant that take no further items: in one transaction each gets its message, its items end, and its row is
 * deleted. A worker that dies before leaves all as it was. Items that ended since they were read are counted again in the next round.
 */
export async function closeDigests(context: ClosingContext, digests: readonly DueDigest[]): Promise<void> {
  const { db, metrics, log } = context
  const [first] = digests
  if (!first) return
  const { tenant_id } = first
  const rows = Map.groupBy(await inTurn(tenant_id, () => readItems(db, digests)), ({ digest_id }) => digest_id)
  await ownLoopTurn(tenant_id)
  const judged = await Promise.all(digests.map((digest) => judge(context, digest, rows.get(digest.id) ?? [])))
  const ready = judged.filter(({ digest, verdict }) => !waits(context, digest, verdict))
  const { messages, closed, items, gone } = await inTurn(tenant_id, () =>
    db.longTransaction((run) => commitTogether(context, run, ready)),
  )
  context.wakeOutbox(urgencyOf(context.channels, messages))
  context.wakeSenders(messages.flatMap((one) => queueOf(context.channels, one)))
  metrics.digestsClosed(closed, items)
  const later = digests.flatMap(({ id }) => (gone.has(id) ? [] : [id]))
  if (later.length > 0) await postponeDigests(db, later, retryMs)
  for (const { digest, verdict } of judged)
    if (verdict instanceof Problem)
      log.warn({ digest_id: digest.id, tenant_id: digest.tenant_id, code: verdict.code }, 'a digest has no message')
}

const turns = createTenantTurns({ places: 1, maxWaiting: Number.POSITIVE_INFINITY })

/** One group at a time: however many are judged beside each other, the connections stay free for what sends messages. */
async function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const leave = await turns.enter(tenantId)!
  try {
    return await work()
  } finally {
    leave()
  }
}

const messageIn = ({ verdict }: JudgedDigest): NewNotification[] =>
  verdict === undefined || verdict instanceof Problem ? [] : [verdict]

/** The part of a close that is one transaction. @returns the messages, and the digests that no longer exist */
async function commitTogether(context: ClosingContext, run: Run, ready: readonly JudgedDigest[]) {
  const ids = ready.map(({ digest }) => digest.id)
  const totals = await lockDigests(run, ids)
  // Another worker may have closed one after its lease, and items may have ended since they were read.
  const mine = ready.filter(({ digest, total }) => totals.get(digest.id) === total)
  const messages = mine.flatMap(messageIn)
  const committed = await commitJudged(context, messages, (work) => withSavepoint(run, () => work(run)))
  const outcomes = new Map(messages.map((message, at) => [message, committed[at]!]))
  const ended = mine.flatMap((one): EndedDigest[] => {
    const [message] = messageIn(one)
    const outcome = message ? outcomes.get(message)! : (one.verdict as Problem | undefined)
    return waits(context, one.digest, outcome) ? [] : [{ digest_id: one.digest.id, ...endOf(outcome) }]
  })
  const items = await endDigests(run, ended)
  const closed = ended.filter(({ reason }) => reason === digestedReason)
  const gone = new Set([...ids.filter((id) => !totals.has(id)), ...ended.map(({ digest_id }) => digest_id)])
  return { messages, items, closed: closed.length, gone }
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

/** Refusals by a version of the event that is newer than the items: a later version can end them. */
const byVersion: readonly ErrorCode[] = ['template_variable_missing', 'channel_not_allowed']

/** Whether a digest without a message is tried again. */
export function waits(
  { config }: { config: Pick<ClosingContext['config'], 'HOLD_LIMIT'> },
  { closes_at }: Pick<DueDigest, 'closes_at'>,
  outcome: unknown,
): boolean {
  if (!(outcome instanceof Problem)) return false
  const wait = byVersion.includes(outcome.code) ? 'limited' : waitFor(outcome)
  return wait === 'always' || (wait === 'limited' && Date.now() - closes_at.getTime() < config.HOLD_LIMIT)
}

/** How the items end, for what became of the message. */
function endOf(outcome: CommitOutcome | undefined): Omit<EndedDigest, 'digest_id'> {
  if (!(outcome instanceof Problem)) return { status: 'cancelled', reason: digestedReason }
  if (outcome.code === optedOutReason) return { status: 'cancelled', reason: optedOutReason }
  return { status: 'failed', reason: `${outcome.code}: ${outcome.message}`.slice(0, 500).toWellFormed() }
}
