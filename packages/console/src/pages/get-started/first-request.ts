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

/** @param connected the channels of the tenant's providers */
export function channelOf(connected: readonly string[]): Channel {
  return firstChannels.find((channel) => connected.includes(channel) || !channelPages[channel].hasCarrier)!
}

/** A variable of the shell in place of a key that is no longer known. */
export const keyVariable = '$NOTIFY_KEY'

interface FirstRequest {
  origin: string
  apiKey: string
  channel: Channel
}

/** @returns a command for a POSIX shell */
export function curlOf({ origin, apiKey, channel }: FirstRequest): string {
  const { event_key } = firstEvent
  const request = {
    channel,
    event_key,
    recipient: channelPages[channel].firstMessage!.recipient,
    data: { name: 'Ada' },
  }
  const body = JSON.stringify(request, null, 2).replaceAll('\n', '\n  ')
  return [
    `curl -sS ${origin}/api/v1/notifications`,
    `  -H "Authorization: Bearer ${apiKey}"`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n')
}
