import type { SendingCarriers } from '@notify/carriers/sending'
import { type Channel, dispatchAuditRecorded } from '@notify/contracts'
import { type Run, recordAudit } from '@notify/database'
import { readShape } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { describeProvider } from './describe-provider.ts'
import { kindOf, makesSecret } from './provider-kind.ts'
import { lockAnyProvider } from './provider-store.ts'
import { withFormerSecrets } from './rotate-provider-secret.ts'
import { credentialsOf, type Writing, writeProvider } from './write-provider.ts'

interface ProviderRecord {
  provider_id: `prov_${string}`
  tenant_id: `ten_${string}`
  application_id: `app_${string}` | null
  channel: Channel
  kind: string
  name: string
  priority: number
  credentials: Record<string, string>
  rate_limit_per_second?: number | null | undefined
  weight?: number | undefined
}

/**
 * Creates or updates a provider of the bootstrap document, unless an operator has changed or deleted it, and records the change.
 * @throws Error naming the invalid fields of the credentials
 */
export async function saveProvider(
  run: Run,
  context: Writing & Pick<Context, 'config'>,
  record: ProviderRecord,
): Promise<void> {
  requireUsable(context.carrierTable, record)
  const kind = kindOf(context.carrierTable, record.kind)
  const { provider_id: id, rate_limit_per_second = kind?.defaultRatePerSecond ?? null, ...state } = record
  const known = await lockAnyProvider(run, id)
  if (known && known.updated_by !== null) return
  const keepsFormer = known && makesSecret(kind)
  const credentials = keepsFormer
    ? withFormerSecrets(state.credentials, credentialsOf(context, known))
    : state.credentials
  const account = kind?.fixedAccount
  // Receipts and STOPs to the former one would not count. The document's other providers are loaded.
  if (known && account && credentialsOf(context, known)[account] !== credentials[account])
    throw new Error(
      `provider ${id}: credentials.${account} cannot be changed: give the other one a provider_id of its own`,
    )
  const provider = { ...state, id, credentials, rate_limit_per_second, updated_by: null }
  const written = await writeProvider(run, context, provider, known)
  await recordAudit(run, dispatchAuditRecorded, {
    ...{ request: null, bootstrap: true, tenantId: written.tenant_id, applicationId: written.application_id },
    ...{ action: `provider.${known ? 'changed' : 'created'}`, resourceId: id },
    before: known ? describeProvider(context, known) : null,
    after: describeProvider(context, written),
  })
}

/** Refuses records that the directory could not use. */
function requireUsable(carriers: SendingCarriers, { provider_id, channel, kind, credentials }: ProviderRecord): void {
  const known = kindOf(carriers, kind)
  if (!known) return
  if (channel !== known.channel)
    throw new Error(`provider ${provider_id}: a ${kind} account sends ${known.channel}, not ${channel}`)
  const { errors } = readShape(known.credentials, credentials)
  if (!errors) return
  const faults = errors.map(({ path, message }) => `${path || 'credentials'} ${message}`)
  throw new Error(`provider ${provider_id}: ${faults.join('; ')}`)
}
