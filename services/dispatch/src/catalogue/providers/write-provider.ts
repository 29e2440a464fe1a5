import { type Channel, type ProviderChange, providerChanged } from '@notify/contracts'
import { enqueueEvents, type Run } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { openCredentials, sealCredentials } from './provider-directory.ts'
import { kindOf } from './provider-kind.ts'
import { isTakenAccount, type ProviderRow, repeatRegistrations, upsertProvider } from './provider-store.ts'

export type Credentials = Record<string, string>

/** Of a new provider. */
export const defaultWeight = 100

/** The wanted state of a provider. */
export interface ProviderState {
  id: ProviderRow['id']
  tenant_id: ProviderRow['tenant_id']
  application_id: ProviderRow['application_id']
  channel: Channel
  kind: string
  name: string
  priority: number
  rate_limit_per_second: number | null
  /** Unchanged when absent; of a new provider {@link defaultWeight}. */
  weight?: number | undefined
  credentials: Credentials
  /** The operator who changes it; null: the bootstrap document. */
  updated_by: string | null
  isDeleted?: boolean
  /** The webhook subscription that it signs for alone; unchanged when absent. */
  subscription_id?: ProviderRow['subscription_id']
}

export type Writing = Pick<Context, 'secrets' | 'carrierTable'>

/**
 * Writes a provider, and publishes it to the services that verify its callbacks or sign with it. Every change uses this.
 * @param known the locked row, if there is one
 * @throws Problem `provider_already_connected`
 */
export async function writeProvider(
  run: Run,
  context: Writing,
  { credentials, isDeleted = false, ...state }: ProviderState,
  known: ProviderRow | undefined,
): Promise<ProviderRow> {
  const { keyRing } = context.secrets
  const { id, tenant_id } = state
  const text = JSON.stringify(credentials)
  const credentialsChanged = !known || JSON.stringify(credentialsOf(context, known)) !== text
  const isTold =
    credentialsChanged ||
    isDeleted !== (known.deleted_at !== null) ||
    known.priority !== state.priority ||
    known.application_id !== state.application_id
  const { fixedAccount, exclusiveAccount } = kindOf(context.carrierTable, state.kind) ?? {}
  const account_id = (fixedAccount && credentials[fixedAccount]) ?? null
  if (exclusiveAccount && account_id !== null && account_id !== known?.account_id)
    await requireFree(run, state, account_id)
  const revision = (known?.revision ?? 0) + (isTold ? 1 : 0)
  const row = await upsertProvider(run, {
    ...state,
    weight: state.weight ?? known?.weight ?? defaultWeight,
    account_id,
    revision,
    credentials: credentialsChanged ? sealCredentials(keyRing, text, tenant_id, id) : known.credentials,
    credentialsChanged,
    isDeleted,
    subscription_id: state.subscription_id ?? known?.subscription_id ?? null,
  })
  if (known && credentialsChanged) await repeatRegistrations(run, row)
  if (isTold) await enqueueEvents(run, providerChanged, [{ event: changeOf(context, row, credentials) }])
  return row
}

/** The credentials of a stored provider. */
export function credentialsOf({ secrets }: Pick<Writing, 'secrets'>, row: ProviderRow): Credentials {
  return JSON.parse(openCredentials(secrets.keyRing, row.credentials, row.tenant_id, row.id)) as Credentials
}

async function requireFree(run: Run, { kind, tenant_id }: Pick<ProviderRow, 'kind' | 'tenant_id'>, accountId: string) {
  if (!(await isTakenAccount(run, { kind, accountId, tenantId: tenant_id }))) return
  throw new Problem(
    'provider_already_connected',
    'This account is connected by another tenant. It can be connected a week after that tenant has deleted its provider.',
  )
}

/** The event of a provider, for the services that verify its callbacks or sign with it. */
export function changeOf(
  { secrets }: Pick<Writing, 'secrets'>,
  row: ProviderRow,
  credentials: Credentials,
): ProviderChange {
  const { id, tenant_id, application_id, channel, kind, priority, revision, deleted_at, subscription_id } = row
  const payload = {
    provider_id: id,
    tenant_id,
    application_id,
    channel,
    kind,
    priority,
    revision,
    ...(deleted_at ? { status: 'deleted' as const } : {}),
    ...(subscription_id ? { subscription_id } : {}),
  }
  return sealEvent(secrets.keyRing, providerChanged, payload, credentials)
}
