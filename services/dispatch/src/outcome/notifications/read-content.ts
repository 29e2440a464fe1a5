import { activityLanes, type readContent as contract, dispatchAuditRecorded } from '@notify/contracts'
import { idempotent, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { dataOf, isItemContent } from '../../catalogue/digests/digest-item.ts'
import { withoutLinkTokens } from '../../catalogue/preferences/message-links.ts'
import { openPayload } from '../../channels/payload-aad.ts'
import type { Context } from '../../context.ts'
import { build } from '../../db/schema.ts'

/**
 * Returns the content of a notification while it is kept. The audit entry commits before the response. Codes, which have a
 * lane of their own, are never shown. A repetition reads again: a stored response would outlive the content.
 */
export const readContent: Handler<Context, typeof contract> = idempotent({
  prepare: async (_context, _request, done) => ({ isRecorded: done !== undefined }),
  async effect({ channels, secrets }, request, run, { isRecorded }) {
    const { params, principal } = request
    const [found] = await run(
      build
        .selectFrom('notifications')
        .select(['id', 'tenant_id', 'application_id', 'channel', 'lane', 'payload'])
        .where('id', '=', params.id)
        .where('tenant_id', '=', principal.tenant_id)
        .where('lane', 'in', activityLanes),
    )
    const definition = found && channels[found.channel]
    if (!found?.payload || !definition?.contentOf)
      throw new Problem('not_found', 'No content is stored for a notification with this id')
    const { id, tenant_id: tenantId, application_id: applicationId, channel, lane } = found
    const stored = openPayload(secrets.keyRing, definition, { id, tenantId, lane, payload: found.payload })
    const payload = JSON.parse(stored)
    const content = isItemContent(payload)
      ? { data: dataOf(payload) }
      : definition.contentOf(definition.payload.parse(payload))
    if (!isRecorded)
      await recordAudit(run, dispatchAuditRecorded, {
        ...{ request, applicationId, action: 'notification.content_read', resourceId: id, before: null },
        after: { channel },
      })
    const answer = withoutLinkTokens(JSON.stringify({ notification_id: id, channel, content }))
    return { reply: new Reply(200, answer, isRecorded ? { 'Idempotent-Replayed': 'true' } : {}), done: id }
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})
