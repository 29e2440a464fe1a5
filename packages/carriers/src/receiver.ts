import type { IncomingHttpHeaders } from 'node:http'
import type { Channel, MarketingChoice, Receipt, ReceivedContent, Route, TemplateChange } from '@notify/contracts'
import type { Logger } from '@notify/service-kit'
import type { z } from 'zod'

/** What callbacks remembers of an account to know its callbacks; secrets beyond those that verify them are not kept. */
export interface KeptAccount {
  /** The carrier's name for the account, where its callbacks bear one. */
  accountId?: string | undefined
  /** The carrier's name for what the account is part of, where callbacks bear that instead. */
  parentId?: string | undefined
  /** What a carrier must show once before it calls an address of this account. */
  verifyToken?: string | undefined
  /** The secret that signs its callbacks. */
  secret?: string | undefined
  /** The number, or the messaging service, that it sends from. */
  sender?: string | undefined
  /** The SNS topics that tell of its messages. */
  topicArns?: string[] | undefined
}

/** An account whose callbacks can be verified. */
export interface ReceivingAccount {
  id: `prov_${string}`
  tenantId: `ten_${string}`
  accountId?: string | null
  parentId?: string | null
  verifyToken?: string | null
  secret: string | null
  sender: string | null
  topicArns: readonly string[]
}

/** A callback as it came over HTTP. */
export interface Callback {
  body: Buffer
  headers: IncomingHttpHeaders
  /** Path and query. */
  url: string
  params: Readonly<Record<string, string>>
}

/** What a carrier says of a message that it took. */
export type ReceiptReport = Pick<
  Receipt,
  | 'provider_message_id'
  | 'notification_id'
  | 'attempt_id'
  | 'status'
  | 'error_code'
  | 'error_message'
  | 'reason'
  | 'retryable'
  | 'suppress'
> & {
  type: 'receipt'
  account: ReceivingAccount
  /** The carrier's name for this callback, where it has one; repetitions bear the same. */
  callbackId?: string
  /** The trace that the message was sent in. */
  traceparent?: string
}

/** What a recipient wrote to one of our senders. */
export interface MessageReport {
  type: 'message'
  account: ReceivingAccount
  provider_message_id: string
  content: ReceivedContent
}

/** What a recipient chose about marketing. */
export interface PreferenceReport {
  type: 'preference'
  account: ReceivingAccount
  /** The same for repetitions; it tells nobody who the recipient is. */
  callbackId: string
  content: MarketingChoice
}

/** The carrier judged a message template anew. */
export interface TemplateReport extends Pick<TemplateChange, 'name' | 'language' | 'status' | 'category' | 'quality'> {
  type: 'template'
  account: ReceivingAccount
  /** The same for repetitions. */
  callbackId: string
}

export type Report = ReceiptReport | MessageReport | PreferenceReport | TemplateReport

/** A callback that was verified. */
export interface Received {
  reports: readonly Report[]
  /** The body of the HTTP answer. */
  answer: unknown
  /** It only set the connection up: no report was to be expected. */
  handshake?: true
}

/** A callback whose form was judged, before anybody knows who sent it. */
export interface Claim {
  /** Whose callback it says it is: several tenants may use one account of a carrier, and one callback may name many. */
  of: { accountId: string } | { providerId: string } | { accountIds: readonly string[]; parentIds: readonly string[] }
  /**
   * Verifies the callback and reads it.
   * @param accounts those that the claim names; none when nobody here has them
   * @throws Problem `invalid_signature`, `not_found`, or `service_unavailable` when it cannot be verified now
   */
  receive(accounts: readonly ReceivingAccount[]): Promise<Received> | Received
}

/** The configuration of a receiver. */
export interface ReceiverOptions<Environment> {
  /** Address of the API as carriers reach it; their signatures cover it. */
  publicUrl: string
  /** The receiver's own environment variables. */
  environment: Environment
  log: Logger
}

/** A route that a carrier calls. */
export interface Endpoint<State> {
  contract: Route
  /** @throws Problem when the request is not of the carrier's form */
  open(state: State, callback: Callback): Claim
}

/** The receiving half of a carrier. */
export interface ReceiverDefinition<Environment = never, State = never> {
  channel: Channel
  /** Reads the credentials of an account; open objects, for a newer dispatch may know more fields. */
  keep: z.ZodType<KeptAccount>
  /** Environment variables of the receiving half, added to the configuration of callbacks. */
  environment: z.core.$ZodLooseShape
  /** Makes what the receiver remembers between callbacks. */
  start(options: ReceiverOptions<Environment>): State
  endpoints: readonly Endpoint<State>[]
}

/** Declares the receiving half of a carrier. The types of its parts meet here; tables hold it without them. */
export function defineReceiver<Shape extends z.core.$ZodLooseShape, State>(
  definition: ReceiverDefinition<z.output<z.ZodObject<Shape>>, State> & { environment: Shape },
) {
  return definition as unknown as ReceiverDefinition & { environment: Shape }
}
