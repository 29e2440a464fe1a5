import {
  type changeList as changeContract,
  type createList as createContract,
  type deleteList as deleteContract,
  newId,
} from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeList } from './describe-list.ts'
import { hideList } from './hide-list.ts'
import { insertList, listMissing, renameList, requireList } from './list-store.ts'

export const createList: Handler<Context, typeof createContract> = idempotent({
  async effect({ config }, { body, principal }, run) {
    const { tenant_id, application_id, mode } = principal
    const list = { id: newId('list'), tenant_id, application_id, mode, name: body.name }
    const row = await insertList(run, list, config.LISTS_PER_APPLICATION)
    return new Reply(201, JSON.stringify(describeList(row)))
  },
})

export const changeList: Handler<Context, typeof changeContract> = async ({ db }, { body, params, principal }) => {
  const { id } = await requireList(db.run, principal, params.list_id)
  const row = await renameList(db.run, id, body.name)
  if (!row) throw listMissing()
  return describeList(row)
}

/** Cancels the broadcasts to it. One that begins at the same moment is cancelled with its first page. */
export const deleteList: Handler<Context, typeof deleteContract> = async ({ db }, { params, principal }) => {
  const { id } = await requireList(db.run, principal, params.list_id)
  await hideList(db.run, id)
}
