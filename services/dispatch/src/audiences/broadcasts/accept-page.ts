import { derivedId, type Id, type ItemResult } from '@notify/contracts'
import { ownLoopTurn } from '@notify/service-kit'
import type { WithAcceptOne } from '../../accept/accept-candidate.ts'
import { type Candidate, waitFor } from '../../accept/accept-item.ts'
import type { Context } from '../../context.ts'
import { type MemberRow, openMember } from '../lists/member-content.ts'
import { type BroadcastRequest, openRequest, requestFor } from './broadcast-request.ts'
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
  stoppedBy?: Refusal
}

/**
 * Accepts a notification for each member of a page, up to the first who is refused for a reason that passes, or because the broadcast
 * was cancelled. A repetition accepts the same ids, each of which is accepted once.
 */
export async function acceptPage(
  context: Pick<Context, 'secrets'> & WithAcceptOne,
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
    for (const result of results) {
      if (!('problem' in result)) accepted += 1
      else if (passes(result.problem)) return { settled, accepted, refusals, stoppedBy: result.problem }
      else refusals[result.problem.code] = (refusals[result.problem.code] ?? 0) + 1
      settled += 1
    }
  }
  return { settled, accepted, refusals }
}

const passes = (refusal: Refusal) => waitFor(refusal) !== 'never' || refusal.code === cancelledCode

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
  const { tenant_id, application_id, mode, default_locale, default_time_zone } = page
  return {
    notificationId,
    principal: {
      ...{ tenant_id, application_id, mode },
      default_locale: default_locale ?? undefined,
      default_time_zone: default_time_zone ?? undefined,
    },
    isAwaited: () => true,
    idempotency: undefined,
    broadcastId: page.id,
    askedAt: page.created_at,
    terms: { lane: 'bulk', expiresAt: expires_at as string | undefined, eraseWhenTerminal: false },
  }
}
