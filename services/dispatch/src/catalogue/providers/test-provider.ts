import { type AccountCheck, environmentOf } from '@notify/carriers/sending'
import type { testProvider as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { providerMissing } from './describe-provider.ts'
import { carrierOfKind } from './provider-directory.ts'
import { kindOf } from './provider-kind.ts'
import { findProvider, type ProviderRow } from './provider-store.ts'
import { requireDestination, type WithHostResolver } from './read-credentials.ts'
import { credentialsOf } from './write-provider.ts'

/** Less than the gateway waits. */
const longestMs = 5000

/** Asks the carrier about the account. Its answer is the result, whether good or bad. */
export const testProvider: Handler<Context & WithHostResolver, typeof contract> = idempotentAnswer(
  async (context, { params, principal }) => {
    const row = await findProvider(context.db.run, principal.tenant_id, params.provider_id)
    if (!row) throw providerMissing()
    const started = performance.now()
    const { ok, code, message, details } = await check(context, row)
    const duration_ms = Math.round(performance.now() - started)
    const tested_at = new Date().toISOString()
    return new Reply(200, JSON.stringify({ provider_id: row.id, ok, code, message, details, duration_ms, tested_at }))
  },
)

async function check(context: Context & WithHostResolver, row: ProviderRow): Promise<AccountCheck> {
  const { carrierTable, config } = context
  const carrier = carrierOfKind(carrierTable, row.kind)
  if (!carrier?.check) {
    const message = 'Nothing is called for this kind: its credentials are complete'
    return { ok: true, code: null, message, details: {} }
  }
  const credentials = credentialsOf(context, row)
  await requireDestination(context, kindOf(carrierTable, row.kind)!, credentials)
  return carrier.check(carrier.credentials.parse(credentials) as never, {
    timeoutMs: Math.min(config.CARRIER_TIMEOUT, longestMs),
    environment: environmentOf(config, carrier),
  })
}
