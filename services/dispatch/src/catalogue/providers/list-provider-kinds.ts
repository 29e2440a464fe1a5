import type { listProviderKinds as contract, ProviderKind as DescribedKind } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { allKinds, isSecret, makesSecret, type ProviderKind } from './provider-kind.ts'

/** The kinds of providers with the schemas of their credentials. */
export const listProviderKinds: Handler<Context, typeof contract> = async ({ carrierTable }) => ({
  items: allKinds(carrierTable).map(([name, kind]) => ({
    kind: name,
    channel: kind.channel,
    credentials: credentialsSchema(kind),
    rotates_secret: makesSecret(kind),
  })),
})

function credentialsSchema(kind: ProviderKind): DescribedKind['credentials'] {
  const schema = z.toJSONSchema(kind.credentials, { io: 'input', unrepresentable: 'any' })
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== 'object') continue
    if (isSecret(kind, field)) property.writeOnly = true
    if (kind.ours?.includes(field)) property.readOnly = true
  }
  return schema as unknown as DescribedKind['credentials']
}
