import { activityLanes, WebhookPayload, webhookReported, webhookRequested } from '@notify/contracts'
import type { ChannelDefinition } from '../channel.ts'
import { composeWebhook } from './compose.ts'
import { maskUrl, readUrl } from './recipient.ts'
import { webhookTemplate } from './template.ts'

export const webhook: ChannelDefinition<WebhookPayload> = {
  name: 'webhook',
  payload: WebhookPayload,
  template: webhookTemplate,
  draft(request, { config }) {
    const to = readUrl(request, config.WEBHOOK_EGRESS_ALLOW)
    return {
      to,
      masked: maskUrl(to),
      from: undefined,
      credits: 0,
      compose: async (templates, fill) => ({
        channel: 'webhook',
        to,
        data: await composeWebhook(request, templates?.webhook, fill),
      }),
    }
  },
  receiptDeadlineMs: () => undefined,
  delivery: {
    by: 'hand-off',
    needsProvider: true,
    event: webhookRequested,
    // Codes are never sent by webhook; the answer for their lane names a durable that exists.
    durableOf: (lane) => `webhook-delivery-requested-${activityLanes.find((one) => one === lane) ?? 'transactional'}`,
    report: webhookReported,
  },
}
