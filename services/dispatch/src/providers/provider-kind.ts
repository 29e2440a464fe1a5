import type { CarrierKind } from '@notify/carriers/kinds'
import type { SendingCarriers } from '@notify/carriers/sending'
import { carrierOfKind } from './provider-directory.ts'
import { webhookKind } from './webhook-kind.ts'

/** What is needed of a kind to manage its providers. */
export type ProviderKind = Omit<CarrierKind, 'environment'>

/** A kind of provider: of a carrier, or the one that signs webhooks. */
export function kindOf(carriers: SendingCarriers, kind: string): ProviderKind | undefined {
  return carrierOfKind(carriers, kind) ?? (kind === 'webhook' ? webhookKind : undefined)
}
