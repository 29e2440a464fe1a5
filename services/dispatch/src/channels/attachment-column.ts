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

/** SQL: the bytes of the files of a row of `notifications`, which go with it or with its content. */
export const fileBytesSql = (row: string) =>
  `coalesce((select octet_length(a.content) from attachments a where a.id = ${row}.id), 0)`
