import type {
  getList as getContract,
  listLists as listContract,
  listMembers as membersContract,
} from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { describeList, describeMember } from './describe-list.ts'
import { listRows, requireList } from './list-store.ts'
import { findMembers } from './member-store.ts'

export const getList: Handler<Context, typeof getContract> = async ({ db }, { params, principal }) =>
  describeList(await requireList(db.run, principal, params.list_id))

export const listLists: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { mode } = request.query
  const { items, next_cursor } = await page(request, orderById('list'), (after, limit) =>
    listRows(db.run, request.principal, { mode, after, limit }),
  )
  return { items: items.map(describeList), next_cursor }
}

const byMember = { position: z.string().max(100), of: ({ id }: { id: string }) => id }

export const listMembers: Handler<Context, typeof membersContract> = async ({ db, secrets }, request) => {
  const { id } = await requireList(db.run, request.principal, request.params.list_id)
  const { items, next_cursor } = await page(request, byMember, (after, limit) =>
    findMembers(db.run, id, { after, limit }),
  )
  return { items: items.map((row) => describeMember(secrets.keyRing, row)), next_cursor }
}
