import type { CarrierKind, SendingKind } from './carrier-kind.ts'
import { type CredentialsOf, type EnvironmentOf, kinds, type ProviderKind } from './kinds.ts'
import type { ChannelMessages } from './messages.ts'
import { onDemand } from './on-demand.ts'
import type { SenderDefinition } from './sender.ts'

export type { AccountCheck } from './account-check.ts'
export type { CarrierAnswer } from './carrier-answer.ts'
export { DomainsUnmanaged } from './domains-unmanaged.ts'
export { environmentOf } from './environment-of.ts'
export type { Correlation, EmailMessage, SmsMessage, WhatsAppMessage } from './messages.ts'
export { markOf, recipientTag } from './recipient-mark.ts'
export type {
  CarrierAccount,
  CarrierRecord,
  CarrierTemplate,
  CarrierTemplates,
  DomainIdentities,
  DomainIdentity,
  Registration,
  Sender,
  SenderDefinition,
  SenderOptions,
} from './sender.ts'
export * from './verdict.ts'

/** Each loader must return a sender for the kind's own credentials and environment and its channel's messages. */
const loaders: {
  [Kind in ProviderKind]: {
    loadSender(): Promise<
      SenderDefinition<CredentialsOf<Kind>, ChannelMessages[(typeof kinds)[Kind]['channel']], EnvironmentOf<Kind>>
    >
  }
} = kinds

/** A carrier that can send. Types were checked where it entered the table. */
export type SendingCarrier = CarrierKind & SenderDefinition<never, never, never>
export type SendingCarriers = Readonly<Record<string, SendingCarrier>>

/** The carriers that dispatch sends through, by kind. */
export const sendingCarriers: SendingCarriers = Object.fromEntries(
  Object.keys(loaders).map((name) => {
    const kind: SendingKind = kinds[name as ProviderKind]
    return [name, { ...kind, ...onDemand(kind) }]
  }),
)
