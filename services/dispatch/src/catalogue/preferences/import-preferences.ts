import type { importPreferences as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { fieldProblem, type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { WithTopics } from '../topics/topic-directory.ts'
import { makeChoices, requireChoosable } from './make-choices.ts'
import { ownerOf, subjectsOf } from './person.ts'

/** Clocks differ. */
const toleratedMs = 5 * 60 * 1000

/** @throws Problem `validation_failed` for a choice of the future, which would outlast those that its person makes until then */
function requirePast(rules: readonly { changed_at?: string | undefined }[]): void {
  const latestMs = Date.now() + toleratedMs
  const at = rules.findIndex(({ changed_at }) => changed_at !== undefined && Date.parse(changed_at) > latestMs)
  if (at >= 0) throw fieldProblem('validation_failed', `rules.${at}.changed_at`, 'is in the future')
}

/** Imports choices that people made elsewhere: all of them, or none. */
export const importPreferences: Handler<Context & WithTopics, typeof contract> = idempotent({
  async prepare(context, { body, principal }) {
    requirePast(body.rules)
    await requireChoosable(context, ownerOf(principal), body.rules)
  },
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
