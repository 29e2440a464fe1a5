import { type deleteMember as deleteContract, type putMembers as putContract, withPlus } from '@notify/contracts'
import { type Handler, ownLoopTurn, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { listMissing, requireList } from './list-store.ts'
import { memberId, sealMember } from './member-content.ts'
import { removeMember } from './remove-member.ts'
import { saveMembers } from './save-members.ts'

/** Adds members. A user who is named twice has the data of the last. */
export const putMembers: Handler<Context, typeof putContract> = async (context, { body, params, principal }) => {
  const { db, secrets, config } = context
  const { id: listId, tenant_id } = await requireList(db.run, principal, params.list_id)
  // Encrypting a thousand members takes milliseconds.
  await ownLoopTurn(tenant_id)
  const rows = new Map(
    body.members.map((member) => {
      const userIndex = secrets.blindIndex(tenant_id, member.user_id)
      const id = memberId(listId, userIndex)
      return [id, { id, user_index: userIndex, content: sealMember(secrets.keyRing, member, tenant_id, id) }]
    }),
  )
  const most = config.MEMBERS_PER_LIST
  return db.transaction(async (run) => {
    const saved = await saveMembers(run, listId, [...rows.values()])
    if (!saved) throw listMissing()
    // Which of them are new is known only now.
    if (saved.added > 0 && saved.member_count > most)
      throw new Problem('member_limit_reached', `There may be at most ${most} members of a list`)
    return saved
  })
}

export const deleteMember: Handler<Context, typeof deleteContract> = async (context, { params, principal, query }) => {
  const { db, secrets } = context
  const { id, tenant_id } = await requireList(db.run, principal, params.list_id)
  const member = memberId(id, secrets.blindIndex(tenant_id, withPlus(query.user_id)))
  if (!(await removeMember(db.run, id, member))) throw new Problem('not_found', 'The list has no such member')
}
