import type { Id, KeyMode, NewRecipient } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema.ts'

export type RecipientRow = Selectable<Tables['recipients']>

/** What is stored of a user, encrypted as one value. */
export type RecipientContent = NewRecipient & { user_id: string }

/** Whose user it is. Live and test keys have users of their own. */
export interface RecipientOwner {
  tenant_id: Id<'ten'>
  application_id: Id<'app'>
  mode: KeyMode
}

/** The id of a user's row. */
export const recipientId = ({ application_id, mode }: RecipientOwner, userIndex: string): string =>
  `${application_id}.${mode}.${userIndex}`

/** SQL: the same of a row of another table that has these columns. */
export const recipientIdSql = (row: string): string =>
  `${row}.application_id || '.' || ${row}.mode || '.' || ${row}.user_index`

const aad = (tenantId: string, id: string): string => `recipients|${tenantId}|${id}`

export const recipientColumn: EncryptedColumn = {
  table: 'recipients',
  column: 'content',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad,
}

export function sealRecipient(keyRing: KeyRing, content: RecipientContent, tenantId: string, id: string): Buffer {
  return keyRing.encrypt(JSON.stringify(content), aad(tenantId, id))
}

export function openRecipient(
  keyRing: KeyRing,
  { tenant_id, id, content }: Pick<RecipientRow, 'tenant_id' | 'id' | 'content'>,
): RecipientContent {
  return JSON.parse(keyRing.decrypt(content, aad(tenant_id, id)))
}
