import { fieldProblem } from '@notify/service-kit'
import { z } from 'zod'
import type { ChannelDefinition } from '../channel.ts'
import { fillTemplate } from '../channel-template.ts'
import { pushTemplate } from './template.ts'

const PushPayload = z.object({ channel: z.literal('push'), to: z.string(), alert: z.string() })
type PushPayload = z.output<typeof PushPayload>

export const push: ChannelDefinition<PushPayload> = {
  name: 'push',
  payload: PushPayload,
  template: pushTemplate,
  draft(request) {
    const { recipient, data = {}, body = '' } = request
    const to = typeof recipient === 'string' ? recipient : recipient.device
    if (typeof to !== 'string') throw fieldProblem('invalid_recipient', 'recipient.device', 'is missing')
    return {
      to,
      masked: `${to.slice(0, 2)}***`,
      from: undefined,
      credits: 0,
      async compose(templates, fill) {
        const template = templates?.push
        const alert = template ? (await fillTemplate(pushTemplate, template, 'data', data, fill)).alert : body
        return { channel: 'push', to, alert }
      },
    }
  },
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  delivery: {
    by: 'carrier',
    lanes: () => [{ lane: 'transactional', concurrency: 8, ratePerSecond: 100 }],
  },
}
