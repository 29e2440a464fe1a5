import type { SendingCarriers } from '@notify/carriers/sending'
import { type Channel, providerChanged } from '@notify/contracts'
import { enqueueEvents, runOn } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import type { Transaction } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../db/schema.ts'
import { carrierOfKind, openCredentials, sealCredentials } from './provider-directory.ts'

interface ProviderRecord {
  provider_id: `prov_${string}`
  tenant_id: `ten_${string}`
  application_id: string | null
  channel: Channel
  kind: string
  name: string
  priority: number
  credentials: Record<string, string>
  rate_limit_per_second?: number | null | undefined
}

/**
 * Creates or updates a provider; publishes changed credentials to the services that verify its callbacks.
 * @throws Error naming the invalid fields of the credentials
 */
export async function saveProvider(
  tx: Transaction<Tables>,
  { secrets: { keyRing }, carrierTable }: Pick<Context, 'secrets' | 'carrierTable'>,
  record: ProviderRecord,
): Promise<void> {
  const { provider_id: id, tenant_id, credentials, rate_limit_per_second = null, ...rest } = record
  requireUsable(carrierTable, record)
  const text = JSON.stringify(credentials)
  const known = await tx
    .selectFrom('providers')
    .select(['credentials', 'revision'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  const unchanged = known !== undefined && openCredentials(keyRing, known.credentials, tenant_id, id) === text
  const revision = (known?.revision ?? 0) + (unchanged ? 0 : 1)
  const row = {
    tenant_id,
    ...rest,
    rate_limit_per_second,
    revision,
    credentials: unchanged ? known.credentials : sealCredentials(keyRing, text, tenant_id, id),
  }
  await tx
    .insertInto('providers')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row, updated_at: new Date() }))
    .execute()
  if (unchanged) return
  const { application_id, channel, kind, priority } = record
  const payload = {
    provider_id: id,
    tenant_id,
    application_id: application_id as `app_${string}` | null,
    channel,
    kind,
    priority,
    revision,
  }
  await enqueueEvents(runOn(tx), providerChanged, [
    { event: sealEvent(keyRing, providerChanged, payload, credentials) },
  ])
}

/** Refuses records that the directory could not use. */
function requireUsable(carriers: SendingCarriers, { provider_id, channel, kind, credentials }: ProviderRecord): void {
  const carrier = carrierOfKind(carriers, kind)
  if (!carrier) return
  const { channel: expected, credentials: schema } = carrier
  if (channel !== expected)
    throw new Error(`provider ${provider_id}: a ${kind} account sends ${expected}, not ${channel}`)
  const { error } = schema.safeParse(credentials)
  if (!error) return
  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'credentials'} ${message}`)
  throw new Error(`provider ${provider_id}: ${faults.join('; ')}`)
}
