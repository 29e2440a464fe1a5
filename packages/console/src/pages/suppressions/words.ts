import type { paths } from '@notify/sdk'
import { channelPages, channels } from '../../channels/table.ts'

type SuppressionList = paths['/api/v1/suppressions']['get']['responses'][200]['content']['application/json']
export type Suppression = SuppressionList['items'][number]
export type SuppressionChannel = Suppression['channel']

/** The names of the channels in which recipients can be suppressed. */
export const channelNames = Object.fromEntries(
  channels
    .filter((channel) => channelPages[channel].suppression)
    .map((channel) => [channel, channelPages[channel].name]),
) as Record<SuppressionChannel, string>

export const reasons: Record<Suppression['reason'], { name: string; means: string; whenRemoved: string }> = {
  bounce: {
    name: 'Bounce',
    means: 'The mailbox or number does not exist, a carrier reported.',
    whenRemoved: 'If it still does not exist, the next message bounces too, which harms your reputation as a sender.',
  },
  complaint: {
    name: 'Complaint',
    means: 'The recipient reported a message as spam.',
    whenRemoved: 'A second complaint harms your reputation as a sender. Ask the recipient first.',
  },
  stop: {
    name: 'STOP',
    means: 'The recipient unsubscribed by email, or answered STOP by SMS, which START lifts.',
    whenRemoved: 'The recipient opted out; in many countries the law forbids messages to them without a new opt-in.',
  },
  manual: {
    name: 'Manual',
    means: 'An operator added it.',
    whenRemoved: 'Messages to the recipient are sent again.',
  },
}

export const options = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }))

export const reasonNames = Object.fromEntries(Object.entries(reasons).map(([value, { name }]) => [value, name]))
