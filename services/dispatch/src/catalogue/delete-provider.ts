import { type deleteProvider as contract, dispatchAuditRecorded } from '@notify/contracts'
import { recordAudit } from '@notify/database'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { forgetAccount } from './carrier-templates/carrier-template-store.ts'
import { stopIdentities } from './domains/identity-store.ts'
import { describeProvider, providerMissing } from './providers/describe-provider.ts'
import type { WithProviders } from './providers/provider-directory.ts'
import { lockProvider } from './providers/provider-store.ts'
import { credentialsOf, writeProvider } from './providers/write-provider.ts'

/** Deletes a provider: nothing new is sent through it, and its receipts count until it is purged. */
export const deleteProvider: Handler<Context & WithProviders, typeof contract> = async (context, request) => {
  const { params, principal, requestId } = request
  await context.db.transaction(async (run) => {
    const row = await lockProvider(run, principal.tenant_id, params.provider_id)
    if (!row) throw providerMissing()
    if (row.subscription_id) {
      throw new Problem('provider_in_use', `The provider signs for ${row.subscription_id}; delete that subscription`)
    }
    const credentials = credentialsOf(context, row)
    await writeProvider(run, context, { ...row, credentials, updated_by: principal.subject, isDeleted: true }, row)
    await forgetAccount(run, row.id)
    await stopIdentities(run, row.tenant_id, row.id)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      applicationId: row.application_id,
      action: 'provider.deleted',
      resourceId: row.id,
      before: describeProvider(context, row),
      after: null,
    })
  })
  context.directory.providers.forget()
  context.wakeOutbox()
  const { provider_id } = params
  context.log.info({ provider_id, operator: principal.subject, request_id: requestId }, 'provider deleted')
  return undefined
}
