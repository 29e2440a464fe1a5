import { type HandOff, type Lane, subjectOf } from '@notify/contracts'
import type { ChannelDefinition } from './channel.ts'

/** The row that a payload is stored in. */
interface Row {
  id: string
  tenantId: string
  lane: Lane
}

/**
 * AAD of a stored payload. One that is handed over has that of its event from the beginning, so that statements can put it
 * into the event as it is stored, without a key.
 */
export function payloadAad(channel: ChannelDefinition | undefined, { id, tenantId, lane }: Row): string {
  if (channel?.delivery.by !== 'hand-off') return `notifications|${tenantId}|${id}`
  const subject = subjectOf(channel.delivery.event, { lane, channel: channel.name } as HandOff)
  return `${subject}|${tenantId}|${id}`
}
