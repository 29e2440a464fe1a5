import type { Channel, Templates } from '../../channels/channel.ts'
import { channelPages, channels } from '../../channels/table.ts'

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
