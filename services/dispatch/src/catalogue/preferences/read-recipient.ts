import {
  type getRecipientPreferences as getContract,
  type Id,
  indexOfToken,
  type listPreferenceChanges as listContract,
  type OperatorPrincipal,
  type PreferenceEntry,
} from '@notify/contracts'
import { orderById, page } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { type ChangeRow, listChangeRows } from './change-store.ts'
import { readPreferences } from './describe-preferences.ts'
import { ownerOfCaller } from './person.ts'

interface RecipientRequest {
  principal: OperatorPrincipal
  params: { application_id: Id<'app'>; recipient_token: string }
}

/** Whose choices a path names. @throws Problem `not_found` for a text that is no token */
function recipientOf({ principal, params }: RecipientRequest) {
  const index = indexOfToken(params.recipient_token)
  if (index === undefined) throw new Problem('not_found', 'There is no such recipient_token')
  return { owner: ownerOfCaller(principal, params.application_id), index }
}

/** What one name of a person, a user id or an address, has chosen. */
export const getRecipientPreferences: Handler<Context & WithTopics, typeof getContract> = async (context, request) => {
  const { owner, index } = recipientOf(request)
  const topics = await context.directory.topics.list(owner.applicationId)
  const locales = [request.query.locale]
  return readPreferences(context.db.run, owner, { topics, subjects: [{ index }], locales })
}

/** The evidence of it: every change, by whom and through what. */
export const listPreferenceChanges: Handler<Context, typeof listContract> = async ({ db }, request) => {
  const { owner, index } = recipientOf(request)
  const { items, next_cursor } = await page(request, orderById('pref'), (after, limit) =>
    listChangeRows(db.run, owner, { index, after, limit }),
  )
  return { items: items.map(describeChange), next_cursor }
}

function describeChange({ topic, channel, before, after, source, actor, changed_at }: ChangeRow): PreferenceEntry {
  return { topic, channel, before, after, source, actor, changed_at: changed_at.toISOString() }
}
