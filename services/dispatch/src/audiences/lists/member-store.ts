import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { build } from '../../db/schema.ts'
import { type MemberRow, membersOf } from './member-content.ts'

/** A page of the members of a list, by their ids. @param addedBefore leaves out those who were added later */
export function findMembers(
  run: Run,
  listId: Id<'list'>,
  { after, limit, addedBefore }: { after: string | null | undefined; limit: number; addedBefore?: Date },
): Promise<MemberRow[]> {
  const [first, end] = membersOf(listId)
  const members = build
    .selectFrom('list_members')
    .selectAll()
    .where('list_id', '=', listId)
    .where('id', '>', first)
    .where('id', '<', end)
    .$if(typeof after === 'string', (query) => query.where('id', '>', after!))
    .$if(addedBefore !== undefined, (query) => query.where('added_at', '<=', addedBefore!))
  return run(members.orderBy('id').limit(limit))
}
