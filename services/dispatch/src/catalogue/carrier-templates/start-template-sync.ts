import { environmentOf } from '@notify/carriers/sending'
import type { OnCommit } from '@notify/database'
import { type Kit, startClaiming, withLogFields } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { carrierOfKind, openCredentials } from '../providers/provider-directory.ts'
import { planSyncs, postponeSync } from './carrier-template-store.ts'
import { claimSyncs, type DueSync } from './claim-syncs.ts'
import { saveTemplates } from './save-templates.ts'

/** Accounts that a worker has in hand. */
const most = 10
const everyMs = 6000
/** While the service commits: a new account's templates are read within this time. */
const atLeastMs = 2000
const longestError = 400

/** Synchronises the stored templates: those of new accounts at once, all others periodically. */
export function startTemplateSync(kit: Kit, context: Context & { onCommit: OnCommit }): void {
  const { db, carrierTable, config } = context
  const kinds = Object.keys(carrierTable).filter((kind) => carrierTable[kind]?.templates)
  const syncs = startClaiming<DueSync>(kit, {
    name: 'carrier template sync',
    everyMs,
    atLeastMs,
    async claim(inHand) {
      await planSyncs(db.run, kinds)
      // Each account may take several pages, one after the other.
      return claimSyncs(db.run, most, config.CARRIER_TIMEOUT * 10, inHand)
    },
    work: (one) => withLogFields({ tenant_id: one.tenant_id }, () => sync(context, one)),
  })
  context.onCommit(() => syncs.stir())
}

async function sync({ db, config, carrierTable, secrets, log }: Context, due: DueSync): Promise<void> {
  const { provider_id, tenant_id, kind, credentials } = due
  try {
    const carrier = carrierOfKind(carrierTable, kind)
    if (!carrier?.templates) throw new Error(`a provider of kind ${kind} has no templates`)
    const opened = openCredentials(secrets.keyRing, credentials, tenant_id, provider_id)
    const options = { timeoutMs: config.CARRIER_TIMEOUT, environment: environmentOf(config, carrier) }
    const account = carrier.credentials.parse(JSON.parse(opened))
    const templates = await carrier.templates.list(account as never, options)
    await saveTemplates(db.run, due, templates, config.TEMPLATE_SYNC)
    log.info({ provider_id, templates: templates.length }, 'templates read')
  } catch (error) {
    await postponeSync(db.run, due, (error as Error).message.slice(0, longestError), config.TEMPLATE_SYNC)
    log.warn({ provider_id, err: error }, 'cannot read the templates of an account; retrying')
  }
}
