import type { components } from '@notify/sdk'
import type { Channel, Templates } from '../../channels/channel.ts'
import { channelPages, channels } from '../../channels/table.ts'
import { sampleFor, variablesIn } from '../../templates/variables.ts'

type Event = Pick<components['schemas']['Event'], 'event_key' | 'allowed_channels' | 'templates'>

/** The channels for a first message, the preferred one first. */
const firstChannels = channels
  .filter((channel) => channelPages[channel].firstMessage)
  .sort((a, b) => channelPages[a].firstMessage!.rank - channelPages[b].firstMessage!.rank)

export const firstEvent = {
  event_key: 'hello.world',
  name: 'Hello world',
  status: 'published' as const,
  allowed_channels: firstChannels,
  templates: Object.fromEntries(
    firstChannels.map((channel) => [channel, channelPages[channel].firstMessage!.template]),
  ) as Templates,
}

/**
 * @param connected the channels of the tenant's providers
 * @param allowed the channels of the event
 */
export function channelOf(connected: readonly string[], allowed: readonly Channel[] = firstChannels): Channel {
  const isUsable = (channel: Channel) => connected.includes(channel) || !channelPages[channel].hasCarrier
  const usable = firstChannels.filter(isUsable)
  return usable.find((channel) => allowed.includes(channel)) ?? usable[0]!
}

/** The body of a request that sends an event, with a value for each variable of its template. */
export function requestOf({ event_key, templates }: Event, channel: Channel) {
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
