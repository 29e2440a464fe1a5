import type { importPreferences as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { makeChoices, requireChoosable } from './make-choices.ts'
import { ownerOf, subjectsOf } from './person.ts'

/** Imports choices that people made elsewhere: all of them, or none. */
export const importPreferences: Handler<Context & WithTopics, typeof contract> = idempotent({
  prepare: (context, { body, principal }) => requireChoosable(context, ownerOf(principal), body.rules),
  async effect(context, { body, principal }, run) {
    const choices = body.rules.flatMap(({ user_id, address, ...wanted }) =>
      subjectsOf(context, principal.tenant_id, { user_id, address }).map((subject) => ({ ...wanted, subject })),
    )
    const origin = { source: 'import', actor: principal.key_id } as const
    const changed = await makeChoices(context, run, ownerOf(principal), choices, origin)
    return new Reply(200, JSON.stringify({ changed, unchanged: choices.length - changed }))
  },
  after: ({ wakeOutbox }) => wakeOutbox(),
})
