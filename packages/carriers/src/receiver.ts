import type { IncomingHttpHeaders } from 'node:http'
import type {
  Channel,
  ContactIdentity,
  MarketingChoice,
  Receipt,
  ReceivedContent,
  Route,
  TemplateChange,
} from '@notify/contracts'
import type { Logger } from '@notify/service-kit'
import type { z } from 'zod'

/** The part of an account that callbacks stores to verify its callbacks. */
export interface KeptAccount {
  /** The carrier's id of the account, if callbacks contain it. */
  accountId?: string | undefined
  /** The carrier's id of the parent account, if callbacks contain that instead. */
  parentId?: string | undefined
  /** The token that the carrier sends when it verifies a callback URL of this account, or the key of what travels in one. */
  verifyToken?: string | undefined
  /** The secret that verifies callbacks. */
  secret?: string | undefined
  /** The number or messaging service that it sends from. */
  sender?: string | undefined
  /** The SNS topics that are trusted. */
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

/** A callback received over HTTP. */
export interface Callback {
  body: Buffer
  headers: IncomingHttpHeaders
  /** Path and query. */
  url: string
  params: Readonly<Record<string, string>>
}

/** A carrier's report on a message that it accepted. */
export type ReceiptReport = Pick<
  Receipt,
  | 'provider_message_id'
  | 'notification_id'
  | 'attempt_id'
  | 'status'
  | 'error_code'
  | 'reason'
  | 'retryable'
  | 'suppress'
  | 'copy'
> & {
  type: 'receipt'
  account: ReceivingAccount
  /** The carrier's id of this callback, if any; the same in repetitions. */
  callbackId?: string
  /** The trace of the send. */
  traceparent?: string
}

/** An inbound message to one of our senders. */
export interface MessageReport {
  type: 'message'
  account: ReceivingAccount
  provider_message_id: string
  /** When the carrier received it; absent if the carrier does not say. The same in repetitions. */
  occurredAt?: Date
  content: ReceivedContent
}

/** A recipient's choice about marketing messages. */
export interface PreferenceReport {
  type: 'preference'
  account: ReceivingAccount
  /** The same for repetitions; it does not reveal the recipient. */
  callbackId: string
  /** When the recipient chose; absent if the carrier does not say. */
  occurredAt?: Date
  content: MarketingChoice
}

/** The number and the carrier's id of one user. */
export interface IdentityReport {
  type: 'identity'
  account: ReceivingAccount
  /** The same for repetitions; it does not reveal the user. */
  callbackId: string
  content: ContactIdentity
}

/** A change of the carrier's approval of a message template. */
export interface TemplateReport extends Pick<TemplateChange, 'name' | 'language' | 'status' | 'category' | 'quality'> {
  type: 'template'
  account: ReceivingAccount
  /** The same for repetitions. */
  callbackId: string
}

export type Report = ReceiptReport | MessageReport | PreferenceReport | IdentityReport | TemplateReport

/** A token that the carrier of an account signed, and the SHA-256 of the body that it came with. */
export interface CallbackToken {
  accountId: `prov_${string}`
  token: string
  digest: Buffer
}

/** A verified callback. */
export interface Received {
  reports: readonly Report[]
  /** The body of the HTTP response. */
  answer: unknown
  /** The callback only set up the connection and carries no report. */
  handshake?: true
  /** Set where the carrier signs a token and not the body: the token counts for the first body alone. */
  token?: CallbackToken
}

/** A well-formed callback, before verification. */
export interface Claim {
  /**
   * The accounts that the callback claims to come from; several tenants may share one carrier account. `addressId` is the
   * provider in the callback's URL, which proves nothing. `senders` are those that an inbound message addresses.
   */
  of:
    | { accountId: string; addressId?: string | undefined; senders?: readonly string[] }
    | { providerId: string }
    | { accountIds: readonly string[]; parentIds: readonly string[] }
  /**
   * Verifies and parses the callback.
   * @param accounts those claimed; empty when none is configured
   * @param find looks up further accounts, which a verified callback names
   * @throws Problem `invalid_signature`, `not_found`, or `service_unavailable` when it cannot be verified now
   */
  receive(accounts: readonly ReceivingAccount[], find?: FindAccounts): Promise<Received> | Received
}

/** Looks up the known accounts of a claim. @throws Problem `service_unavailable` when one of them cannot be read now */
export type FindAccounts = (of: Claim['of']) => Promise<readonly ReceivingAccount[]>

/** The configuration of a receiver. */
export interface ReceiverOptions<Environment> {
  /** Public base URL of the API; carrier signatures cover it. */
  publicUrl: string
  /** The receiver's own environment variables. */
  environment: Environment
  log: Logger
}

/** A route that a carrier calls. */
export interface Endpoint<State> {
  contract: Route
  /** @throws Problem when the request does not have the carrier's form */
  open(state: State, callback: Callback): Claim
}

/** The receiving half of a carrier. */
export interface ReceiverDefinition<Environment = never, State = never> {
  channel: Channel
  /** Parses the credentials of an account. Accepts unknown fields, which a newer dispatch may send. */
  keep: z.ZodType<KeptAccount>
  /** Environment variables of the receiving half, added to the configuration of callbacks. */
  environment: z.core.$ZodLooseShape
  /** Creates the receiver's state. */
  start(options: ReceiverOptions<Environment>): State
  endpoints: readonly Endpoint<State>[]
}

/** Declares the receiving half of a carrier with matching types; tables store it untyped. */
export function defineReceiver<Shape extends z.core.$ZodLooseShape, State>(
  definition: ReceiverDefinition<z.output<z.ZodObject<Shape>>, State> & { environment: Shape },
) {
  return definition as unknown as ReceiverDefinition & { environment: Shape }
}
