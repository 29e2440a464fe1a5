import type { EncryptedColumn } from '@notify/database'

/** AAD of the files of a notification. */
export const attachmentAad = (tenantId: string, id: string): string => `attachments|${tenantId}|${id}`

export const attachmentColumn: EncryptedColumn = {
  table: 'attachments',
  column: 'content',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad: attachmentAad,
}
