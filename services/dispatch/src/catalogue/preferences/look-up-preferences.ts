import type { lookUpPreferences as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { readPreferences } from './describe-preferences.ts'
import { ownerOf, subjectsOf } from './person.ts'

/** The preferences of a person whose address is not to stand in a URL. */
export const lookUpPreferences = idempotentAnswer<Context & WithTopics, typeof contract>(
  async (context, { body, principal }) => {
    const subjects = subjectsOf(context, principal.tenant_id, body)
    const locales = [body.locale, principal.default_locale]
    const topics = await context.directory.topics.list(principal.application_id)
    const found = await readPreferences(context.db.run, ownerOf(principal), { topics, subjects, locales })
    return new Reply(200, JSON.stringify(found))
  },
)
