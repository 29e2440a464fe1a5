import {
  type BroadcastStatus,
  type cancelBroadcast as cancelContract,
  dispatchAuditRecorded,
  type pauseBroadcast as pauseContract,
  type resumeBroadcast as resumeContract,
} from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { lockBroadcast, setStatus } from './broadcast-store.ts'
import { describeBroadcast } from './describe-broadcast.ts'
import { broadcastMissing } from './read-broadcasts.ts'

interface Change {
  verb: 'paused' | 'resumed' | 'cancelled'
  /** The states that allow it. */
  from: readonly BroadcastStatus[]
  to: BroadcastStatus
}

/** The lock of the row orders a change and the end of a page. */
const change = ({ verb, from, to }: Change): Handler<Context, typeof pauseContract> =>
  idempotent({
    async effect(_context, request, run) {
      const { params, principal } = request
      const known = await lockBroadcast(run, principal, params.broadcast_id)
      if (!known) throw broadcastMissing()
      if (!from.includes(known.status))
        throw new Problem('broadcast_not_running', `The broadcast cannot be ${verb}: it is ${known.status}`)
      const [before, after] = [describeBroadcast(known), describeBroadcast(await setStatus(run, known, to))]
      await recordAudit(run, dispatchAuditRecorded, {
        request,
        action: `broadcast.${verb}`,
        resourceId: known.id,
        applicationId: known.application_id,
        before,
        after,
      })
      return new Reply(200, JSON.stringify(after))
    },
    after: ({ wakeOutbox }) => wakeOutbox(),
  })

export const pauseBroadcast = change({ verb: 'paused', from: ['running'], to: 'paused' })
export const resumeBroadcast = change({ verb: 'resumed', from: ['paused'], to: 'running' }) as Handler<
  Context,
  typeof resumeContract
>
export const cancelBroadcast = change({
  verb: 'cancelled',
  // Of a completed one, notifications for later may still wait.
  from: ['running', 'paused', 'completed'],
  to: 'cancelled',
}) as unknown as Handler<Context, typeof cancelContract>
