import type { Id, NewMember } from '@notify/contracts'
import type { EncryptedColumn } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema.ts'

export type MemberRow = Selectable<Tables['list_members']>

/** What is stored of a member, encrypted as one value. */
export type MemberContent = NewMember

/** The id of a member's row. All of a list are between its {@link membersOf}. */
export const memberId = (listId: Id<'list'>, userIndex: string): string => `${listId}.${userIndex}`

/** The range of the ids of a list's members: after the first, before the second. */
export const membersOf = (listId: Id<'list'>): [string, string] => [`${listId}.`, `${listId}/`]

const aad = (tenantId: string, id: string): string => `list_members|${tenantId}|${id}`

export const memberColumn: EncryptedColumn = {
  table: 'list_members',
  column: 'content',
  key: 'id',
  aadFrom: ['tenant_id', 'id'],
  aad,
}

export function sealMember(keyRing: KeyRing, content: MemberContent, tenantId: string, id: string): Buffer {
  return keyRing.encrypt(JSON.stringify(content), aad(tenantId, id))
}

export function openMember(
  keyRing: KeyRing,
  { tenant_id, id, content }: Pick<MemberRow, 'tenant_id' | 'id' | 'content'>,
): MemberContent {
  return JSON.parse(keyRing.decrypt(content, aad(tenant_id, id)))
}
