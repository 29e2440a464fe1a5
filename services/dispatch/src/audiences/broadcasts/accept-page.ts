import { derivedId, type Id, type ItemResult } from '@notify/contracts'
import { ownLoopTurn, Problem } from '@notify/service-kit'
import type { WithAcceptOne } from '../../accept/accept-candidate.ts'
import { type Candidate, type Sender, waitFor } from '../../accept/accept-item.ts'
import type { Context } from '../../context.ts'
import { type MemberRow, openMember } from '../lists/member-content.ts'
import { type BroadcastRequest, openRequest, requestFor } from './broadcast-request.ts'
import { findNamed, type WithNamed } from './find-named.ts'
import { timeOfPage } from './page-ids.ts'
import type { DuePage, EndedPage } from './page-store.ts'

/** The code of a member whose broadcast was cancelled meanwhile. */
export const cancelledCode = 'broadcast_not_running'
/** Members that are accepted together. Between two groups other work of the process has its turn. */
const groupSize = 25

type Refusal = Extract<ItemResult, { problem: unknown }>['problem']

/** What became of the first members of a page; all of them, unless one is to be tried again. */
export interface PageResult extends Pick<EndedPage, 'accepted' | 'refusals'> {
  settled: number
  /** What the next one is refused with for now. */
  stoppedBy?: Pick<Refusal, 'code' | 'status'>
}

/**
 * Accepts a notification for each member of a page, up to the first refusal that passes, that applies to all members, or that is due to a
 * cancellation of the broadcast. A repetition accepts the same ids, each of which is accepted once.
 */
export async function acceptPage(
  context: Pick<Context, 'secrets'> & WithAcceptOne & WithNamed,
  page: DuePage,
  members: readonly MemberRow[],
): Promise<PageResult> {
  const { acceptOne, secrets } = context
  const request = openRequest(secrets.keyRing, page)
  const refusals: Record<string, number> = {}
  let [settled, accepted] = [0, 0]
  for (let at = 0; at < members.length; at += groupSize) {
    await ownLoopTurn(page.tenant_id)
    const results = await Promise.all(
      members.slice(at, at + groupSize).map((member) => {
        const notificationId = idOf(context, page, member)
        return acceptOne({ notification_id: notificationId }, (traceparent) => ({
          ...candidateOf(page, notificationId, request),
          request: requestFor(request, openMember(secrets.keyRing, member)),
          traceparent: traceparent ?? null,
        }))
      }),
    )
    const isRefused = results.some((result) => 'problem' in result && !passes(result.problem))
    const shared = isRefused ? await sharedRefusal(context, page, request) : undefined
    for (const result of results) {
      if ('problem' in result) {
        const { code } = result.problem
        const stoppedBy = passes(result.problem) ? result.problem : shared
        if (stoppedBy) return { settled, accepted, refusals, stoppedBy }
        refusals[code] = (refusals[code] ?? 0) + 1
      } else accepted += 1
      settled += 1
    }
  }
  return { settled, accepted, refusals }
}

const passes = (refusal: Refusal) => waitFor(refusal) !== 'never' || refusal.code === cancelledCode

/** Why all members are refused since the broadcast began: what it names was deleted, deactivated or given to another application. */
async function sharedRefusal(
  context: WithNamed,
  page: DuePage,
  request: BroadcastRequest,
): Promise<Problem | undefined> {
  try {
    await findNamed(context, { principal: senderOf(page), request: requestFor(request, { user_id: 'each member' }) })
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Follows from broadcast, page and member, so that a page that is repeated after a crash sends nothing twice. */
function idOf({ secrets }: Pick<Context, 'secrets'>, page: DuePage, member: MemberRow): Id<'notif'> {
  const bytes = Buffer.from(secrets.fingerprint(['broadcast', page.tenant_id, page.id, member.id]), 'base64url')
  return derivedId('notif', timeOfPage(page), bytes)
}

function candidateOf(
  page: DuePage,
  notificationId: Id<'notif'>,
  { expires_at }: BroadcastRequest,
): Omit<Candidate, 'request' | 'traceparent'> {
  return {
    notificationId,
    principal: senderOf(page),
    isAwaited: () => true,
    idempotency: undefined,
    broadcastId: page.id,
    askedAt: page.created_at,
    terms: { lane: 'bulk', expiresAt: expires_at as string | undefined, eraseWhenTerminal: false },
  }
}

function senderOf(page: DuePage): Sender {
  const { tenant_id, application_id, mode, default_locale, default_time_zone } = page
  return {
    ...{ tenant_id, application_id, mode },
    default_locale: default_locale ?? undefined,
    default_time_zone: default_time_zone ?? undefined,
  }
}
