import type { CarrierKind } from '@notify/carriers/kinds'
import type { SendingCarriers } from '@notify/carriers/sending'
import { carrierOfKind } from './provider-directory.ts'
import { webhookKind } from './webhook-kind.ts'

/** What is needed of a kind to manage its providers. */
export type ProviderKind = Omit<CarrierKind, 'environment'>

/** Kinds of providers that have no carrier. */
const carrierless = new Map<string, ProviderKind>([['webhook', webhookKind]])

/** A kind of provider: of a carrier, or one that has none. */
export function kindOf(carriers: SendingCarriers, kind: string): ProviderKind | undefined {
  return carrierOfKind(carriers, kind) ?? carrierless.get(kind)
}

/** Every kind by its name. */
export function allKinds(carriers: SendingCarriers): [string, ProviderKind][] {
  return [...Object.entries(carriers), ...carrierless]
}

/** Of a kind that does not name its secrets every field is one. */
export function isSecret(kind: ProviderKind | undefined, field: string): boolean {
  return kind?.secrets?.includes(field) ?? true
}

/** Whether the service itself makes the secret of a kind. */
export function makesSecret(kind: ProviderKind | undefined): boolean {
  return kind?.ours?.includes('secret') ?? false
}
