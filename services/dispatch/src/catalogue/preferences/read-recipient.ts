import {
  type getRecipientPreferences as getContract,
  type Id,
  indexOfToken,
  type KeyMode,
  type listPreferenceChanges as listContract,
  type OperatorPrincipal,
} from '@notify/contracts'
import { orderById, page } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { type ChangeRow, listChangeRows } from './change-store.ts'
import { describeChoice, describePreferences } from './describe-preferences.ts'
import { namesOf } from './names-of.ts'
import { ownerOfCaller } from './person.ts'
import { readChoices } from './preference-store.ts'

interface RecipientRequest {
  principal: OperatorPrincipal
  params: { application_id: Id<'app'>; recipient_token: string }
  query: { mode: KeyMode }
}

/** Whose choices a path names. @throws Problem `not_found` for a text that is no token */
function recipientOf({ principal, params, query }: RecipientRequest) {
  const index = indexOfToken(params.recipient_token)
  if (index === undefined) throw new Problem('not_found', 'There is no such recipient_token')
  return { owner: ownerOfCaller(principal, params.application_id, query.mode), index }
}

/** What a person has chosen under the names that the record of the user links. */
export const getRecipientPreferences: Handler<Context & WithTopics, typeof getContract> = async (context, request) => {
  const { owner, index } = recipientOf(request)
  const topics = await context.directory.topics.list(owner.applicationId)
  const { names, sharing, kindOf } = await namesOf(context, owner, index)
  const indexes = [...kindOf.keys()]
  const choices = await readChoices(context.db.run, owner, indexes)
  const subjects = Array.from(kindOf, ([index, of]) => ({ index, ...(of && of !== 'user' && { field: of }) }))
  const described = describePreferences(topics, choices, subjects, [request.query.locale])
  const rules = choices.map((one) => ({ ...describeChoice(one), of: kindOf.get(one.recipient_index) ?? null }))
  return { ...described, rules, names, sharing }
}

/** The evidence of it: every change, by whom and through what. */
export const listPreferenceChanges: Handler<Context, typeof listContract> = async (context, request) => {
  const { owner, index } = recipientOf(request)
  const { kindOf } = await namesOf(context, owner, index)
  const indexes = [...kindOf.keys()]
  const { items, next_cursor } = await page(request, orderById('pref'), (after, limit) =>
    listChangeRows(context.db.run, owner, { indexes, after, limit }),
  )
  return {
    items: items.map((row) => ({ ...describeChange(row), of: kindOf.get(row.recipient_index) ?? null })),
    next_cursor,
  }
}

function describeChange({ topic, channel, before, after, source, actor, changed_at, ...row }: ChangeRow) {
  const { frequency_before, frequency_after } = row
  const frequencies = { frequency_before, frequency_after }
  return { topic, channel, before, after, ...frequencies, source, actor, changed_at: changed_at.toISOString() }
}
