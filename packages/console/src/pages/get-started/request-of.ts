import type { components } from '@notify/sdk'
import type { Channel } from '../../channels/channel.ts'
import { channelPages } from '../../channels/table.ts'
import { sampleFor, variablesIn } from '../../templates/variables.ts'

export type SentEvent = Pick<components['schemas']['Event'], 'event_key' | 'templates'>

/** The body of a request that sends an event, with a value for each variable of its template. */
export function requestOf({ event_key, templates }: SentEvent, channel: Channel) {
  const template = templates[channel]
  const data = sampleFor(template ? variablesIn({ [channel]: template }) : [])
  return {
    channel,
    event_key,
    recipient: channelPages[channel].firstMessage!.recipient,
    data: 'name' in data ? { ...data, name: 'Ada' } : data,
  }
}

export type FirstRequest = ReturnType<typeof requestOf>
