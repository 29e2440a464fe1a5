import type { components } from '@notify/sdk'
import type { Channel } from '../../channels/channel.ts'
import { channelPages } from '../../channels/table.ts'
import { type Around, sampleFor, variablesIn } from '../../templates/variables.ts'

type EventRecord = components['schemas']['Event']
export type SentEvent = Pick<EventRecord, 'event_key' | 'templates'> & Partial<Pick<EventRecord, 'digest'>>

/**
 * The body of a request that sends an event, with values for the variables of its template and the key of its digest.
 * @param layout that of the template, if it has one
 */
export function requestOf({ event_key, templates, digest }: SentEvent, channel: Channel, layout?: Around['layout']) {
  const template = templates[channel]
  const variables = template ? variablesIn({ [channel]: template }, { layout, hasDigest: Boolean(digest) }) : []
  const data = sampleFor(digest?.key === undefined ? variables : [...variables, [digest.key]])
  return {
    channel,
    event_key,
    recipient: channelPages[channel].firstMessage!.recipient,
    data: 'name' in data ? { ...data, name: 'Ada' } : data,
  }
}

export type FirstRequest = ReturnType<typeof requestOf>
