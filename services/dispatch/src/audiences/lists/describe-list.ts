import type { List, ListMember } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import type { ListRow } from './list-store.ts'
import { type MemberRow, openMember } from './member-content.ts'

/** A list as callers see it. */
export function describeList({ id, application_id, mode, name, member_count, created_at, updated_at }: ListRow): List {
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
  return { list_id: id, application_id, mode, name, member_count, ...times }
}

/** A member as callers see it. */
export function describeMember(keyRing: KeyRing, row: MemberRow): ListMember {
  const { user_id, data } = openMember(keyRing, row)
  return { user_id, data: data ?? null, added_at: row.added_at.toISOString() }
}
