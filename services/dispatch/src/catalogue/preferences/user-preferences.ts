import {
  type changeUserPreferences as changeContract,
  type getUserPreferences as getContract,
  type KeyPrincipal,
  UserId,
} from '@notify/contracts'
import { type Handler, requireShape } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithRecipients } from '../recipients/recipient-directory.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { readPreferences } from './describe-preferences.ts'
import { liftedStops } from './lift-stops.ts'
import { linkedSubjects } from './linked-subjects.ts'
import { makeChoices, type Origin, requireChoosable, type Wanted } from './make-choices.ts'
import { ownerOf } from './person.ts'

export type Needs = Context & WithTopics & WithRecipients

/** A user of an application, with the languages in which topics are described. */
export interface UserOfApplication {
  owner: ReturnType<typeof ownerOf>
  userId: string
  locales: readonly (string | undefined)[]
}

export const getUserPreferences: Handler<Needs, typeof getContract> = (context, request) =>
  preferencesOf(context, userOf(request))

export const changeUserPreferences: Handler<Needs, typeof changeContract> = async (context, request) => {
  const origin = { source: 'api', actor: request.principal.key_id } as const
  return changePreferences(context, userOf(request), request.body.rules, origin)
}

/** The preferences of a user. Choices for the user's addresses count, as they do when a message is sent. */
export async function preferencesOf(context: Needs, { owner, userId, locales }: UserOfApplication) {
  const { user, addresses } = await linkedSubjects(context, owner, userId)
  const subjects = [user, ...addresses]
  const topics = await context.directory.topics.list(owner.applicationId)
  return readPreferences(context.db.run, owner, { topics, subjects, locales })
}

/** Makes choices of a user. What is committed when this returns counts for every later claim. @returns the resulting preferences */
export async function changePreferences(
  context: Needs,
  { owner, userId, locales }: UserOfApplication,
  wanted: readonly Wanted[],
  origin: Origin,
) {
  await requireChoosable(context, owner, wanted)
  const { user, addresses } = await linkedSubjects(context, owner, userId)
  const subjects = [user, ...addresses]
  const topics = await context.directory.topics.list(owner.applicationId)
  const preferences = await context.db.transaction(async (run) => {
    const lifted = await liftedStops(run, owner, addresses, wanted)
    // In one call, which locks all of them in one order, as that of a link does.
    const choices = [...wanted.map((one) => ({ ...one, subject: user })), ...lifted]
    await makeChoices(context, run, owner, choices, origin)
    return readPreferences(run, owner, { topics, subjects, locales })
  })
  context.wakeOutbox()
  return preferences
}

interface UserRequest {
  principal: KeyPrincipal
  params: { user_id: string }
  query: { locale?: string | undefined }
}

function userOf({ principal, params, query }: UserRequest): UserOfApplication {
  const userId = requireShape(UserId, params.user_id, { at: 'user_id' })
  return { owner: ownerOf(principal), userId, locales: [query.locale, principal.default_locale] }
}
