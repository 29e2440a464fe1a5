import { type changeProvider as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit, requireUnchanged } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeProvider, providerMissing } from './describe-provider.ts'
import type { WithProviders } from './provider-directory.ts'
import { kindOf, type ProviderKind } from './provider-kind.ts'
import { findProvider, lockProvider, type ProviderRow } from './provider-store.ts'
import {
  type GivenFields,
  refuseGeneratedFields,
  replaceFields,
  requireCredentials,
  requireDestination,
  requireGenerated,
  requireSameAccount,
  requireSecretsForDestination,
  type WithHostResolver,
} from './read-credentials.ts'
import { refuseUnusedSettings } from './refuse-unused-settings.ts'
import { type Credentials, credentialsOf, writeProvider } from './write-provider.ts'

/** Changes a provider; credentials are replaced field by field. */
export const changeProvider: Handler<Context & WithProviders & WithHostResolver, typeof contract> = async (
  context,
  request,
) => {
  const { body, params, principal, query } = request
  const { credentials: given, ...fields } = body
  const known = await findProvider(context.db.run, principal.tenant_id, params.provider_id)
  if (!known) throw providerMissing()
  refuseUnusedSettings(context, known.channel, fields)
  if (given) await judge(context, known, given)
  const changed = await context.db.transaction(async (run) => {
    const row = await lockProvider(run, principal.tenant_id, params.provider_id)
    if (!row) throw providerMissing()
    requireUnchanged('provider', row.updated_at, query.expected_updated_at)
    const kind = kindOf(context.carrierTable, row.kind)
    // Another change may have come in between.
    const credentials = given ? replaced(context, kind, row, given) : credentialsOf(context, row)
    const { id, tenant_id, application_id, channel, name, priority, rate_limit_per_second } = row
    const state = { id, tenant_id, application_id, channel, kind: row.kind, name, priority, rate_limit_per_second }
    const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    const updated_by = principal.subject
    const written = await writeProvider(run, context, { ...state, ...defined, credentials, updated_by }, row)
    // After the write, which refuses the account of another tenant with 409.
    if (kind) requireSameAccount(kind, credentialsOf(context, row), credentials)
    const [before, after] = [describeProvider(context, row), describeProvider(context, written)]
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      applicationId: application_id,
      action: 'provider.changed',
      resourceId: id,
      before,
      after,
    })
    return after
  })
  context.directory.providers.forget()
  context.wakeOutbox()
  return changed
}

/** Validates new credentials while no connection is held. */
async function judge(context: Context & WithHostResolver, row: ProviderRow, given: GivenFields): Promise<void> {
  const kind = kindOf(context.carrierTable, row.kind)
  if (!kind) return
  refuseGeneratedFields(kind, given)
  await requireDestination(context, kind, replaced(context, kind, row, given))
}

/** @throws Problem `validation_failed` naming each field as `credentials.<field>` */
function replaced(context: Context, kind: ProviderKind | undefined, row: ProviderRow, given: GivenFields): Credentials {
  const known = credentialsOf(context, row)
  const credentials = replaceFields(known, given)
  if (!kind) return credentials
  requireSecretsForDestination(kind, known, given)
  requireCredentials(kind, credentials)
  requireGenerated(kind, credentials)
  return credentials
}
