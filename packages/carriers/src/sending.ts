import type { CarrierKind } from './carrier-kind.ts'
import { type CredentialsOf, type EnvironmentOf, kinds, type ProviderKind } from './kinds.ts'
import type { ChannelMessages } from './messages.ts'
import { onDemand } from './on-demand.ts'
import type { SenderDefinition } from './sender.ts'

export type { AccountCheck } from './account-check.ts'
export type { CarrierAnswer } from './carrier-answer.ts'
export { environmentOf } from './environment-of.ts'
export type { Correlation, EmailMessage, SmsMessage, WhatsAppMessage } from './messages.ts'
export type {
  CarrierAccount,
  CarrierTemplate,
  CarrierTemplates,
  DomainIdentities,
  DomainIdentity,
  Sender,
  SenderDefinition,
  SenderOptions,
} from './sender.ts'
export * from './verdict.ts'

/** The sending half of every kind, typed by the messages of its channel. */
const senders: {
  [Kind in ProviderKind]: SenderDefinition<
    CredentialsOf<Kind>,
    ChannelMessages[(typeof kinds)[Kind]['channel']],
    EnvironmentOf<Kind>
  >
} = {
  twilio: onDemand(async () => (await import('./twilio/send.ts')).twilioSender),
  ses: onDemand(async () => (await import('./ses/send.ts')).sesSender, { regionOf: ({ region }) => region }),
  smtp: onDemand(async () => (await import('./smtp/send.ts')).smtpSender),
  whatsapp_cloud: onDemand(async () => (await import('./meta/send.ts')).metaSender, { templates: true }),
}

/** A carrier that can send. Types were checked where it entered the table. */
export type SendingCarrier = CarrierKind & SenderDefinition<never, never, never>
export type SendingCarriers = Readonly<Record<string, SendingCarrier>>

/** The carriers that dispatch sends through, by kind. */
export const sendingCarriers: SendingCarriers = Object.fromEntries(
  Object.entries(senders).map(([kind, sender]) => [kind, { ...kinds[kind as ProviderKind], ...sender }]),
)
