import type { importPreferences as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { DestinationError, readDestination } from '@notify/egress-guard'
import { fieldProblem, type Handler, Reply, readEmailAddress } from '@notify/service-kit'
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

/** @throws Problem `validation_failed` for an address that no message could have: its choice would never count */
function requireAddresses(
  { config }: Pick<Context, 'config'>,
  rules: readonly { address?: string | undefined }[],
): void {
  for (const [at, { address }] of rules.entries()) {
    const fault = address === undefined ? undefined : faultOf(address, config.WEBHOOK_EGRESS_ALLOW)
    if (fault !== undefined) throw fieldProblem('validation_failed', `rules.${at}.address`, fault)
  }
}

function faultOf(address: string, allowed: Context['config']['WEBHOOK_EGRESS_ALLOW']): string | undefined {
  if (!address.startsWith('https://')) return address.includes('@') ? readEmailAddress(address).fault : undefined
  try {
    readDestination(address, allowed)
    return undefined
  } catch (error) {
    if (error instanceof DestinationError) return error.message
    throw error
  }
}

/** Imports choices that people made elsewhere: all of them, or none. */
export const importPreferences: Handler<Context & WithTopics, typeof contract> = idempotent({
  async prepare(context, { body, principal }) {
    requirePast(body.rules)
    requireAddresses(context, body.rules)
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
