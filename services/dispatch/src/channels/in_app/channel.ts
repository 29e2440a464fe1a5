import { InAppPayload, inboxCreated, inboxRequested } from '@notify/contracts'
import type { ChannelDefinition } from '../channel.ts'
import { composeInApp } from './compose.ts'
import { maskUserId, readUserId } from './recipient.ts'
import { inAppTemplate } from './template.ts'

/** Delivered by inbox-stream, which reports `delivered` once the notification stands in the user's inbox. */
export const inApp: ChannelDefinition<InAppPayload> = {
  name: 'in_app',
  isToUser: true,
  payload: InAppPayload,
  template: inAppTemplate,
  draft(request, { locale }) {
    const to = readUserId(request)
    return {
      to,
      masked: maskUserId(to),
      from: undefined,
      credits: 0,
      compose: async (templates, fill) => ({
        channel: 'in_app',
        user_id: to,
        ...(await composeInApp(request, templates?.in_app, fill)),
        ...(locale !== undefined && { locale }),
      }),
    }
  },
  receiptDeadlineMs: () => undefined,
  delivery: {
    by: 'hand-off',
    keepsOrder: true,
    event: inboxRequested,
    // Codes never go to an inbox: the lane otp stays empty.
    durableOf: (lane) => `inbox-stream-requested-${lane === 'bulk' ? 'bulk' : 'transactional'}`,
    report: inboxCreated,
  },
}
