import type { Channel, Lane } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import { payloadPlace } from '../channels/payload-place.ts'
import { channels } from '../channels/registry.ts'
import { privateKeyPlace } from '../domains/domain-store.ts'
import { metadataPlace } from '../notifications/metadata.ts'
import { credentialsPlace } from '../providers/provider-directory.ts'

/** Every encrypted column with its AAD, for `rotate-keys`. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'notifications',
    column: 'payload',
    key: 'id',
    placedBy: ['channel', 'lane', 'tenant_id', 'id'],
    place: (channel: string, lane: string, tenantId: string, id: string) =>
      payloadPlace(channels[channel as Channel], { id, tenantId, lane: lane as Lane }),
  },
  { table: 'notifications', column: 'metadata', key: 'id', placedBy: ['tenant_id', 'id'], place: metadataPlace },
  { table: 'providers', column: 'credentials', key: 'id', placedBy: ['tenant_id', 'id'], place: credentialsPlace },
  { table: 'domains', column: 'private_key', key: 'id', placedBy: ['tenant_id', 'id'], place: privateKeyPlace },
]
