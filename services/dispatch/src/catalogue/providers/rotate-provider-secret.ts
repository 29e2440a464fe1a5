import { type rotateProviderSecret as contract, dispatchAuditRecorded } from '@notify/contracts'
import { idempotent, type Run, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { formerFieldsOf, formerSecretsOf, newWebhookSecret } from '@notify/webhook-signature'
import type { Context } from '../../context.ts'
import { describeProvider, providerMissing } from './describe-provider.ts'
import { kindOf, makesSecret } from './provider-kind.ts'
import { lockProvider, type ProviderRow } from './provider-store.ts'
import { type Credentials, credentialsOf, type Writing, writeProvider } from './write-provider.ts'

/** How long the previous secret signs requests too. */
const overlapMs = 24 * 3_600_000

/** Generates a new signing secret. A former secret signs too, for a day after its successor was generated. */
export const rotateProviderSecret: Handler<Context, typeof contract> = idempotent({
  async effect(context, request, run) {
    const { params, principal } = request
    const row = await lockProvider(run, principal.tenant_id, params.provider_id)
    if (!row) throw providerMissing()
    if (!makesSecret(kindOf(context.carrierTable, row.kind))) {
      throw new Problem(
        'secret_of_carrier',
        `The carrier issues the secrets of ${row.kind}: create a new one there, then PATCH credentials`,
      )
    }
    const { secret, written, until } = await rotateSecret(context, run, row, principal.subject)
    await recordAudit(run, dispatchAuditRecorded, {
      request,
      applicationId: row.application_id,
      action: 'provider.secret_rotated',
      resourceId: row.id,
      before: describeProvider(context, row),
      after: describeProvider(context, written),
    })
    return new Reply(200, JSON.stringify({ provider_id: row.id, secret, previous_valid_until: until }))
  },
  after({ log, wakeOutbox }, { params, principal, requestId }) {
    wakeOutbox()
    const { provider_id } = params
    log.info({ provider_id, operator: principal.subject, request_id: requestId }, 'provider secret rotated')
  },
})

/** Gives a locked provider a new secret. @param updated_by the operator; null if none has ever changed the provider */
export async function rotateSecret(context: Writing, run: Run, row: ProviderRow, updated_by: string | null) {
  const secret = newWebhookSecret()
  const known = credentialsOf(context, row)
  const credentials = withFormerSecrets({ ...known, secret }, known)
  const written = await writeProvider(run, context, { ...row, credentials, updated_by }, row)
  return { secret, written, until: credentials.previous_until }
}

/** Adds the former secrets of a webhook provider that still sign: the latest two of its known credentials. */
export function withFormerSecrets(next: Credentials, known: Credentials): Credentials {
  const { previous_secret: _, previous_until: __, older_secret: ___, older_until: ____, ...rest } = next
  const until = new Date(Date.now() + overlapMs).toISOString()
  const present = known.secret ? [{ secret: known.secret, until }] : []
  const former = formerFieldsOf(next.secret ?? '', [...formerSecretsOf(next), ...present, ...formerSecretsOf(known)])
  return { ...rest, ...(former as Credentials) }
}
