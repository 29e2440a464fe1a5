import type { Provider } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { isSecret, kindOf, type ProviderKind } from './provider-kind.ts'
import type { ProviderRow } from './provider-store.ts'
import { type Credentials, credentialsOf } from './write-provider.ts'

/** Shorter secrets are hidden completely: four characters would reveal too much. */
const longEnough = 12
const hidden = '****'

/** A provider as operators see it. */
export function describeProvider(
  context: Pick<Context, 'secrets' | 'carrierTable' | 'config'>,
  row: ProviderRow,
): Provider {
  const kind = kindOf(context.carrierTable, row.kind)
  const credentials = credentialsOf(context, row)
  const callback = kind?.callbackOf?.(credentials)
  const path = callback?.path.replace(':kind', row.kind).replace(':provider_id', row.id)
  return {
    provider_id: row.id,
    application_id: row.application_id,
    subscription_id: row.subscription_id,
    channel: row.channel,
    kind: row.kind,
    name: row.name,
    priority: row.priority,
    weight: row.weight,
    rate_limit_per_second: row.rate_limit_per_second,
    credentials: shown(kind, credentials),
    credentials_updated_at: row.credentials_updated_at.toISOString(),
    callback_url: path ? context.config.PUBLIC_URL + path : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function shown(kind: ProviderKind | undefined, credentials: Credentials): Credentials {
  return Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, isSecret(kind, name) ? lastOf(value) : value]),
  )
}

function lastOf(secret: string): string {
  return secret.length < longEnough ? hidden : hidden + secret.slice(-4)
}

export function providerMissing(): Problem {
  return new Problem('not_found', 'No provider has this id')
}
