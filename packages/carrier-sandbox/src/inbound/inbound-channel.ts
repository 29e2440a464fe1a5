import { z } from 'zod'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import type { MetaNumber } from '../meta/number.ts'
import type { AccountBook } from '../stand-ins/stand-in.ts'
import type { TwilioAccount } from '../twilio/account.ts'

/** Where inbound messages are reported. */
export interface InboundContext {
  sender: CallbackSender
  /** The account that owns the receiving numbers. */
  account: TwilioAccount | undefined
  /** The receiving number when the request names none. */
  number: string
  /** The webhook of that number; without one, inbound messages cannot be reported. */
  url: string | undefined
  /** The receiving WhatsApp numbers; the first is the default. */
  metaNumbers: readonly MetaNumber[]
  /** The accounts at other carriers. */
  accounts: AccountBook
}

/** The message that was reported, or what is missing to report it. */
export type Answer = { missing: string } | Record<'from' | 'to' | 'body' | 'provider_message_id', string>

/** How people answer by one channel. */
export interface InboundChannel<Body extends z.ZodObject = z.ZodObject> {
  /** What `POST /inbound` takes beside `channel`. */
  body: Body
  receive(context: InboundContext, body: z.output<Body>): Answer
}

export const phone = z.string().regex(/^\+[1-9]\d{3,14}$/, 'must be an E.164 number')
