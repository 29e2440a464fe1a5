import type { EncryptedColumn } from '@notify/database'
import { broadcastColumn } from '../audiences/broadcasts/broadcast-request.ts'
import { memberColumn } from '../audiences/lists/member-content.ts'
import { privateKeyColumn } from '../catalogue/domains/domain-store.ts'
import { credentialsColumn } from '../catalogue/providers/provider-directory.ts'
import { recipientColumn } from '../catalogue/recipients/recipient-content.ts'
import { attachmentColumn } from '../channels/attachment-column.ts'
import { payloadColumn } from '../channels/payload-aad.ts'
import { channels } from '../channels/registry.ts'
import { metadataColumn } from '../outcome/notifications/metadata.ts'

/** Every encrypted column, for `rotate-keys`. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  payloadColumn(channels),
  attachmentColumn,
  metadataColumn,
  credentialsColumn,
  privateKeyColumn,
  recipientColumn,
  memberColumn,
  broadcastColumn,
]
