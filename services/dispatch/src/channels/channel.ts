import type { Channel, DispatchRequest, EventTemplates, Lane } from '@notify/contracts'
import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { Fill } from '../rendering/create-renderer.ts'

/** What a notification stores, encrypted, until it is delivered. */
export interface Payload {
  channel: Channel
}

/** A message whose recipient is valid. Its content is composed once nothing else refuses the request. */
export interface Draft<P extends Payload = Payload> {
  /** The recipient as it is indexed: phone number, address, user id or URL. */
  to: string
  masked: string
  /** A sender of the caller's own, in place of the provider's; its domain must be verified. */
  from: string | undefined
  credits: number
  /** @throws Problem naming the field at fault */
  compose(templates: EventTemplates | undefined, fill: Fill): Promise<P>
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
  lanes(config: Config): readonly LaneSettings[]
  receipts: {
    /** Receipts handled at the same time, in one worker. */
    concurrency: number
    /** Set where receipts often suppress the recipient: a consumer of its own does it then, with this concurrency. */
    suppressionConcurrency?: number
  }
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
  /** Reads what is stored, rows of earlier releases included. */
  payload: z.ZodType<P>
  /**
   * Reads whom a request is for.
   * @throws Problem `invalid_recipient`, or `validation_failed` naming another field
   */
  draft(request: DispatchRequest): Draft<P>
  /** The sender of {@link Draft.from}, whose domain is verified again before the message is sent. */
  senderOf?(payload: P): string | undefined
  /** When a sent message without a receipt counts as settled; never, when undefined. */
  receiptDeadlineMs(config: Config): number | undefined
  suppression?: SuppressionRules
  delivery: ByCarrier
}

/** The channels that this process delivers. */
export type Channels = Readonly<Partial<Record<Channel, ChannelDefinition>>>
