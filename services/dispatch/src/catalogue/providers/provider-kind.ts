import type { CarrierKind } from '@notify/carriers/kinds'
import type { SendingCarriers } from '@notify/carriers/sending'
import { carrierOfKind } from './provider-directory.ts'
import { webhookKind } from './webhook-kind.ts'

/** The part of a kind that managing its providers needs. */
export type ProviderKind = Omit<CarrierKind, 'environment'>

/** Kinds of providers that have no carrier. */
const carrierless = new Map<string, ProviderKind>([['webhook', webhookKind]])

/** A kind of provider, with or without a carrier. */
export function kindOf(carriers: SendingCarriers, kind: string): ProviderKind | undefined {
  return carrierOfKind(carriers, kind) ?? carrierless.get(kind)
}

/** Every kind by its name. */
export function allKinds(carriers: SendingCarriers): [string, ProviderKind][] {
  return [...Object.entries(carriers), ...carrierless]
}

/** If a kind does not name its secrets, every field is secret. */
export function isSecret(kind: ProviderKind | undefined, field: string): boolean {
  return kind?.secrets?.includes(field) ?? true
}

/** Whether the service generates the secret of a kind. */
export function makesSecret(kind: ProviderKind | undefined): boolean {
  return kind?.ours?.includes('secret') ?? false
}
