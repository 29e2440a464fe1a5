import type { OnCommit } from '@notify/database'
import { type Kit, startClaiming, withLogFields } from '@notify/service-kit'
import type { WithAcceptOne } from '../../accept/accept-candidate.ts'
import { waitFor } from '../../accept/accept-item.ts'
import type { Context } from '../../context.ts'
import type { BulkBrake } from '../../deliver/throttle/bulk-brake.ts'
import { findMembers } from '../lists/member-store.ts'
import { acceptPage, cancelledCode, type PageResult } from './accept-page.ts'
import type { WithNamed } from './find-named.ts'
import {
  claimPages,
  type DuePage,
  endPage,
  nextPageInMs,
  pauseAtPage,
  postponePage,
  type ReachedMember,
  stopBroadcast,
  waitingOf,
} from './page-store.ts'

/** Members of a page. */
const pageSize = 200
/** Tenants whose pages a worker accepts beside each other. */
const mostPages = 16
/** For what a lost wake-up left. */
const everyMs = 5000
/** While this many bulk messages of the application wait to be sent, its broadcasts pause: most of one can then still be cancelled. */
const mostWaiting = 2000
const whileWaitingMs = 500
/** The pause after a refusal that passes. */
const retryMs = 5000

type Needs = Context & WithAcceptOne & WithNamed & { onCommit: OnCommit }

/**
 * Accepts broadcasts page by page. Each tenant has one pace for all of its broadcasts, and pages of different tenants run beside each
 * other. Safe in any number of replicas: a page that is accepted twice sends nothing twice, and is counted once.
 */
export function runBroadcasts(kit: Kit, context: Needs, brake: BulkBrake): void {
  const pages = startClaiming<DuePage>(kit, {
    name: 'broadcasts',
    everyMs,
    atLeastMs: 100,
    async claim(inHand) {
      const dueInMs = await nextPageInMs(context.db)
      return dueInMs > 0 ? dueInMs : claimPages(context.db, mostPages, inHand)
    },
    work: (page) => withLogFields({ tenant_id: page.tenant_id }, () => tryPage(context, page, brake)),
  })
  context.onCommit(() => pages.stir())
}

/** Runs a page; one that fails delays neither the pages of others nor its own until its lease ends. */
function tryPage(context: Needs, page: DuePage, brake: BulkBrake): Promise<void> {
  return runPage(context, page, brake).catch((error: unknown) => {
    context.log.error({ err: error }, 'a page of a broadcast failed; it will be tried again')
    return postponePage(context.db, page, retryMs)
  })
}

async function runPage(context: Needs, page: DuePage, brake: BulkBrake): Promise<void> {
  const { db, config, wakeOutbox } = context
  if (page.is_list_deleted || page.is_application_deleted || page.status === 'cancelled') {
    await endPage(db, page, { reached: null, accepted: 0, refusals: {}, isLast: false, intervalMs: 0 })
    return stopBroadcast(db, page)
  }
  if ((await waitingOf(db, page, mostWaiting)) >= mostWaiting) return postponePage(db, page, whileWaitingMs)
  const members = await findMembers(db.run, page.list_id, {
    after: page.reached,
    limit: pageSize,
    addedBefore: new Date(page.created_at.getTime() + 1),
  })
  const { settled, stoppedBy, ...counts } = await acceptPage(context, page, members)
  const result = { ...counts, reached: members[settled - 1]?.id ?? null }
  if (stoppedBy?.code === cancelledCode) return endPage(db, page, { ...result, isLast: false, intervalMs: 0 })
  if (stoppedBy) return postpone(context, page, stoppedBy, result)
  const intervalMs = ((pageSize * 1000 * page.sharers) / config.BROADCAST_RATE) * brake.slowdown()
  await endPage(db, page, { ...result, isLast: members.length < pageSize, intervalMs })
  wakeOutbox()
}

/** Pauses a broadcast that has waited as long as a digest would; its list may be out of date after that. */
function postpone(
  { db, config, log }: Needs,
  page: DuePage,
  refusal: NonNullable<PageResult['stoppedBy']>,
  reached: ReachedMember,
): Promise<void> {
  const isTooLate = Date.now() - page.updated_at.getTime() > config.HOLD_LIMIT
  if (waitFor(refusal) === 'always' || !isTooLate) return postponePage(db, page, retryMs, reached)
  log.warn({ broadcast_id: page.id, code: refusal.code }, 'a broadcast waited too long and is paused')
  return pauseAtPage(db, page, reached)
}
