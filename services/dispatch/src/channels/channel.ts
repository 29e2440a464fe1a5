import type { TextSize } from '@notify/carriers/kinds'
import type {
  Channel,
  DispatchRequest,
  EventContract,
  EventTemplates,
  HandOff,
  HandOffReport,
  Lane,
  SealedEventContract,
  SmsSegments,
} from '@notify/contracts'
import type { Fill } from '@notify/templates'
import type { z } from 'zod'
import type { ChannelConfig } from './channel-config.ts'
import type { ChannelTemplate, ComposeTools, FilledReference } from './channel-template.ts'

/** What a notification stores, encrypted, until it is delivered. */
export interface Payload {
  channel: Channel
}

/** What a draft depends on beside the request. */
export interface DraftSettings {
  config: ChannelConfig
  lane: Lane
  /** Of the event or the stored template that the request names. */
  templates: EventTemplates | undefined
  /** The language of the text, where it is known. */
  locale?: string | undefined
}

/**
 * Reads a file from an address that the tenant chose.
 * @param field path of the address in the request, which errors name
 * @throws Problem `attachment_not_available`, `rate_limited`, or `service_unavailable` when our own network fails
 */
export type FetchFile = (url: string, field: string) => Promise<Buffer>

/** Another recipient of a message, who is suppressed apart from the first one. */
export interface Copy {
  field: 'cc' | 'bcc'
  /** As it is indexed. */
  to: string
  masked: string
}

/** A message with a valid recipient. Its content is composed after all other checks. */
export interface Draft<P extends Payload = Payload> {
  /** The recipient as it is indexed: phone number, address, user id or URL. */
  to: string
  masked: string
  /** The digits that tell the country of a phone number. */
  countryPrefix?: string
  /** A sender of the caller's own, in place of the provider's; its domain must be verified. */
  from: string | undefined
  /** Who else receives it. */
  copies?: readonly Copy[]
  /**
   * Its files, in the order in which {@link ChannelDefinition.files} gets them back.
   * @throws Problem naming the file at fault
   */
  files?(fetch: FetchFile): Promise<readonly Buffer[]>
  /** The carrier's template that the message is made of. */
  template?: FilledReference
  credits: number
  /** @throws Problem naming the field at fault */
  compose(templates: EventTemplates | undefined, fill: Fill, tools: ComposeTools): Promise<P>
}

/** A lane of a channel: one consumer, with a pace of its own. */
export interface LaneSettings {
  lane: Lane
  /** Messages in hand at the same time, in one worker. */
  concurrency: number
  /** Messages begun in a second, in one worker. */
  ratePerSecond: number
}

/** Dispatch calls the carrier of one of the tenant's providers. */
export interface ByCarrier {
  by: 'carrier'
  lanes(config: ChannelConfig): readonly LaneSettings[]
  /** Connections to one account; without it, as many as messages may be in hand. */
  connections?(config: ChannelConfig): number | undefined
  /** Set where receipts often suppress the recipient: a consumer of its own does it then, with this concurrency. */
  suppressionConcurrency?: number
}

/** Another service delivers: the event that hands a notification over is committed together with it. */
export interface ByHandOff {
  by: 'hand-off'
  /** Whether the tenant must have a provider of the channel: what the receiver signs with, for example. */
  needsProvider?: true
  /** Whether hand-offs to one recipient in one lane name their predecessor, so that the receiver can keep their order. */
  keepsOrder?: true
  event: SealedEventContract<typeof HandOff, 'content'>
  /** The receiver's durable for a lane. Notifications that it consumed without a report are handed over again. */
  durableOf(lane: Lane): string
  report: EventContract<typeof HandOffReport>
}

/** How recipients of a channel are suppressed; absent where nobody can be. */
export interface SuppressionRules {
  /** Why a text cannot be a recipient: `must be …`. */
  faultOf(recipient: string): string | undefined
  mask(recipient: string): string
  /** Whether recipients suppress themselves by answering STOP. */
  hasKeywords: boolean
}

/** Everything that dispatch knows of one channel. */
export interface ChannelDefinition<P extends Payload = Payload> {
  name: Channel
  /** Reads what is stored. */
  payload: z.ZodType<P>
  /**
   * Reads the recipient of a request.
   * @throws Problem `invalid_recipient`, or one that names another field
   */
  draft(request: DispatchRequest, settings: DraftSettings): Draft<P>
  /** The size of the text, which carriers limit. */
  sizeOf?(payload: P): TextSize
  /** The parts in which carriers send and charge the text. */
  segmentsOf?(payload: P): SmsSegments
  /** The sender of {@link Draft.from}, whose domain is verified again before the message is sent. */
  senderOf?(payload: P): string | undefined
  /** The recipients of {@link Draft.copies}; those that are suppressed are left out before the message is sent. */
  copies?: {
    of(payload: P): readonly Copy[]
    without(payload: P, isLeftOut: (to: string) => boolean): P
    /** The recipient of the message itself. */
    ownOf(payload: P): string
  }
  /** The files of {@link Draft.files}, which are stored outside of the payload. */
  files?: { has(payload: P): boolean; attach(payload: P, files: readonly Buffer[]): Payload }
  /** Adds the link by which the recipient switches off the topic of the message, where it does not stand in the text. */
  withLink?(payload: P, url: string): P
  /** The template of {@link Draft.template}, which must still be approved at the provider that is to send it. */
  templateOf?(payload: P): FilledReference
  /** When a sent message without a receipt counts as settled; never, when undefined. */
  receiptDeadlineMs(config: ChannelConfig): number | undefined
  template: ChannelTemplate<unknown>
  suppression?: SuppressionRules
  /** The content that an operator may read, without recipients and codes. Nothing, when absent. */
  contentOf?(payload: P): Record<string, unknown>
  /** How an operator gets a test message; absent where no carrier answers at once. */
  test?: TestRules<P>
  /** Its recipients are user ids. */
  isToUser?: true
  delivery: ByCarrier | ByHandOff
}

/** What test messages of a channel are made of. */
export interface TestRules<P extends Payload> {
  /** The recipient of a request, from a number or an address. */
  recipientOf(recipient: string): DispatchRequest['recipient']
  /** The text for a provider, if carriers take any text. @param provider its name, which is no Liquid */
  templatesFor?(provider: string): EventTemplates
  /** The message with a mark, where the channel has a place for one. */
  marked?(payload: P): Payload
}

/** The channels that this process delivers. */
export type Channels = Readonly<Partial<Record<Channel, ChannelDefinition>>>

type DeliveredBy<D> = ChannelDefinition & { delivery: D }

/** The channels that dispatch sends through carriers. */
export function carriedChannels(channels: Channels): DeliveredBy<ByCarrier>[] {
  return Object.values(channels).filter((one): one is DeliveredBy<ByCarrier> => one.delivery.by === 'carrier')
}

/** The channels that other services deliver. */
export function handedOverChannels(channels: Channels): DeliveredBy<ByHandOff>[] {
  return Object.values(channels).filter((one): one is DeliveredBy<ByHandOff> => one.delivery.by === 'hand-off')
}
