import type { Request, Router } from 'express'
import type { z } from 'zod'
import type { Callback } from '../callbacks/callback-sender.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { DomainBook } from './domain-book.ts'
import type { MailParts } from './mail-parts.ts'

/** An HTTP answer of a carrier. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
}

/** What a send request asks for. */
export interface Draft extends MailParts {
  to: string
  from: string
  text: string
  subject?: string
  html?: string | undefined
  /** Where the request wants its webhooks, instead of the account's address. */
  webhookUrl?: string | undefined
  /** What the carrier returns in its webhooks. */
  travelled: unknown
}

/** A state that a webhook reports. */
export type Step =
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'bounced'
  | 'softBounced'
  | 'complained'
  | 'delayed'
  | 'rejected'

/** A message and what returns with its webhooks. */
export interface SentMessage {
  message: LoggedMessage
  travelled: unknown
}

/** A text message from a person. */
export interface InboundText {
  id: string
  from: string
  to: string
  body: string
}

/** Where an account wants its webhooks. */
export interface WithWebhook {
  webhook_url?: string | undefined
}

/** The stand-in of one carrier: its wire format. Recipients, states, log and delivery of webhooks are the sandbox's. */
export interface StandIn<Account extends WithWebhook> {
  /** Its path below the sandbox, and its name in `POST /accounts`. */
  name: string
  channel: string
  /** Whether its messages may have files, which makes requests large. */
  takesFiles?: true
  /** What `POST /accounts` takes. */
  account: z.ZodType<Account>
  /** What the carrier shows of an account, such as the key that verifies its webhooks. */
  shown?(account: Account): Record<string, string>
  /** Whether a request has the credentials of an account. */
  isOf(req: Request, account: Account): boolean
  /** The route that sends. */
  sendPath: string
  /** Reads a send request; a text names what the carrier refuses. */
  read(req: Request, account: Account): Draft | string | Promise<Draft | string>
  /** The key of a request: another request with it gets the first answer, and sends nothing. */
  keyOf?(req: Request): string | undefined
  /** The id of a new message. */
  newMessageId(): string
  /** The route that shows an account, and its answer. */
  check: { path: string; answer(account: Account, book: DomainBook): Answer }
  /** The routes of sending domains. */
  domains?: DomainRoutes
  accepted(messageId: string, draft: Draft): Answer
  refused: Record<'unauthorized' | 'recipient' | 'throttled' | 'broken', Answer> & {
    invalid(detail: string): Answer
    /** For a key that belongs to other content. */
    repeated?: Answer
  }
  /** The signed webhook of a state; undefined where the carrier reports none. */
  webhook(account: Account, sent: SentMessage, step: Step): Omit<Callback, 'url'> | undefined
  /** The signed webhook of a text that a person wrote. */
  inbound?(account: Account, text: InboundText): Omit<Callback, 'url'>
}

/** The accounts that may send, by carrier. */
export interface AccountBook {
  /** The account whose credentials a request has; of equal ones the newest. */
  find(standIn: StandIn<WithWebhook>, req: Request): WithWebhook | undefined
  /** The newest account of a carrier. */
  newest(standIn: StandIn<WithWebhook>): WithWebhook | undefined
  add(standIn: StandIn<WithWebhook>, account: WithWebhook): void
}

/** What the routes of domains need. */
export interface DomainContext {
  standIn: StandIn<WithWebhook>
  accounts: AccountBook
  book: DomainBook
}

/** The part of a carrier's API that keeps sending domains. */
export type DomainRoutes = (context: DomainContext) => Router

/** Declares a stand-in with matching types; the table stores it untyped. */
export function defineStandIn<Account extends WithWebhook>(standIn: StandIn<Account>): StandIn<WithWebhook> {
  return standIn as unknown as StandIn<WithWebhook>
}

/** The body of a request as JSON; undefined unless it is. */
export function jsonOf(req: Request): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(req.body) ? req.body.toString() : '')
  } catch {
    return undefined
  }
}

/** A request in this form; a text says what is wrong with it. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | string {
  const { data, error } = schema.safeParse(value)
  return error ? `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}` : (data as z.output<S>)
}

/** The mailboxes of a header's value; a quoted name may have commas. */
export const mailboxesIn = (value = '') => value.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g)?.map((one) => one.trim()) ?? []

/** The address of a mailbox, with or without a name. */
export const addressOf = (mailbox: string) => /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox
