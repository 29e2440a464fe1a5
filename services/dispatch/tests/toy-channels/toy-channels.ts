import { Channel, defineEvent, defineHandOff, HandOffReport } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import type { ChannelDefinition, Channels, Draft } from '../../src/channels/channel.ts'
import { channels } from '../../src/channels/registry.ts'

const ToyPayload = z.object({ channel: Channel, to: z.string(), text: z.string() })
export type ToyPayload = z.output<typeof ToyPayload>

/** A channel whose template has one text, `data.status`, and whose recipients are texts or `{url}`. */
function toyParts(name: Channel): Pick<ChannelDefinition<ToyPayload>, 'name' | 'payload' | 'template' | 'draft'> {
  return {
    name,
    template: channels[name]!.template,
    payload: ToyPayload,
    draft({ recipient, data = {}, body }): Draft<ToyPayload> {
      const to = typeof recipient === 'string' ? recipient : recipient.url
      if (typeof to !== 'string') throw new Problem('invalid_recipient', 'recipient.url is missing')
      return {
        to,
        masked: 'toy***',
        from: undefined,
        credits: 7,
        async compose(templates, fill) {
          const template = String(templates?.webhook?.data.customer ?? body)
          const [text = ''] = await fill([{ form: 'text', template, field: 'data' }], data)
          return { channel: name, to, text }
        },
      }
    },
  }
}

/** Delivered by an unknown carrier. */
const carried: ChannelDefinition<ToyPayload> = {
  ...toyParts('webhook'),
  receiptDeadlineMs: () => 60_000,
  delivery: {
    by: 'carrier',
    lanes: () => [{ lane: 'transactional', concurrency: 4, ratePerSecond: 100 }],
  },
}

export const toyHandedOver = defineHandOff('dispatch.toy.{lane}.requested', ToyPayload)
export const toyReported = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.toy.reported',
  schema: HandOffReport,
})
export const toyDurable = 'toy-requested'

/** Delivered by another service: the test. */
const handedOver: ChannelDefinition<ToyPayload> = {
  ...toyParts('in_app'),
  receiptDeadlineMs: () => undefined,
  delivery: { by: 'hand-off', event: toyHandedOver, durableOf: () => toyDurable, report: toyReported },
}

export const toyChannels: Channels = { ...channels, webhook: carried, in_app: handedOver }
