import { type Channel, type HandOff, type Lane, subjectOf } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { ChannelDefinition, Channels } from './channel.ts'

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

/** Decrypts a stored payload. @throws Error when it is not the row's own */
export const openPayload = (keyRing: KeyRing, channel: ChannelDefinition, row: Row & { payload: Buffer }): string =>
  keyRing.decrypt(row.payload, payloadAad(channel, row))

export const payloadColumn = (channels: Channels): EncryptedColumn => ({
  table: 'notifications',
  column: 'payload',
  key: 'id',
  aadFrom: ['channel', 'lane', 'tenant_id', 'id'],
  aad: (channel: string, lane: string, tenantId: string, id: string) =>
    payloadAad(channels[channel as Channel], { id, tenantId, lane: lane as Lane }),
})
