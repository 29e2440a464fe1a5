import type { Channel, Lane } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import { privateKeyAad } from '../catalogue/domains/domain-store.ts'
import { credentialsAad } from '../catalogue/providers/provider-directory.ts'
import { payloadAad } from '../channels/payload-aad.ts'
import { channels } from '../channels/registry.ts'
import { metadataAad } from '../outcome/notifications/metadata.ts'

/** Every encrypted column with its AAD, for `rotate-keys`. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'notifications',
    column: 'payload',
    key: 'id',
    placedBy: ['channel', 'lane', 'tenant_id', 'id'],
    place: (channel: string, lane: string, tenantId: string, id: string) =>
      payloadAad(channels[channel as Channel], { id, tenantId, lane: lane as Lane }),
  },
  { table: 'notifications', column: 'metadata', key: 'id', placedBy: ['tenant_id', 'id'], place: metadataAad },
  { table: 'providers', column: 'credentials', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsAad },
  { table: 'domains', column: 'private_key', key: 'id', placedBy: ['tenant_id', 'id'], place: privateKeyAad },
]
