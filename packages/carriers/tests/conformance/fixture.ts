import type { CodeTable } from '../../src/code-table.ts'
import type { ChannelMessages } from '../../src/messages.ts'
import type { CarrierAnswer, SendingCarrier } from '../../src/sending.ts'
import type { CapturedCallback } from './world.ts'

/** The channels that carriers deliver. */
export type CarrierChannel = keyof ChannelMessages

export type Credentials = Record<string, string>

/** Where a fixture connects an account. */
export interface Connection {
  sandboxUrl: string
  /** Where the carrier calls for the provider. */
  callbackUrl: string
  /** Of the accounts of a test file: 0 and 1. */
  nth: number
}

/** An HTTP answer of a carrier. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** What a code of a carrier means for the message, its recipient or the account. */
export type CodeMeaning =
  | 'permanent'
  | 'stopped'
  | 'later'
  | 'recipientWaits'
  | 'accountDown'
  | 'carrierFault'
  | 'unknown'

/** What the suite needs to know of a carrier; all else is the same for each. */
export interface CarrierFixture {
  kind: string
  /** The environment of the sandbox, where it cannot be set later; callbacks go to this URL, for these providers. */
  sandbox?(publicUrl: string, ids: readonly [string, string]): Record<string, string>
  /** Set where the sandbox speaks another protocol than the carrier: what only the carrier can show is tested elsewhere. */
  mode?: 'test'
  /** Connects an account at the stand-in. @returns the credentials of its provider */
  connect(place: Connection): Promise<Credentials>
  /** Fields that make credentials wrong: the carrier refuses them. */
  wrong: Credentials
  /** The environment of the sending half, for an API at this URL; of the receiving half. */
  sending?(apiUrl: string): object
  receiving?(sandboxUrl: string): object
  /** Parts of the message that the carrier needs otherwise. */
  message?: object
  /** Documented refusals, and what they mean. */
  refusals: readonly [string, Answer, Partial<CarrierAnswer>][]
  /** Refusals of a sender: of the message's own, or that of the account. */
  senderRefusals?: readonly Answer[]
  /** Of a carrier with codes: all of its documentation, separated by spaces, and a refusal with one of them. */
  codes?: { table: CodeTable; answer(code: string): Answer; documented: Readonly<Partial<Record<CodeMeaning, string>>> }
  /** The receipt of the recipient that is never reached. */
  undelivered: object
  /** Of email: the receipts of the other recipients, if they differ from the usual. */
  unusual?: Partial<Record<'softbounce' | 'virus', object>>
  /** Set where reports on a message with copies do not say whom they are about. */
  reportsAreVague?: true
  /** How callbacks are proven; null where the carrier never calls. */
  proof: {
    /** The field of the credentials that verifies. */
    secret?: string
    /** Whether it may name two, comma separated; or the field of the second. */
    several?: true | string
    /** For how long a signature counts, in seconds; absent where it does not say when it was made. */
    windowS?: number
    /** Changes that a signature must not survive; usually that of the body. */
    forgeries?: Readonly<Record<string, (callback: CapturedCallback) => CapturedCallback>>
    /** Signs a body for an account of its own, such as that of a failure with this text for people. */
    signer?: {
      credentials: Credentials
      sign(body: string, url: string): Pick<CapturedCallback, 'body' | 'headers'>
      failure(text: string): object
    }
    /** Documented events that the stand-in does not make: the body, and its reports. */
    events?: readonly [string, object, readonly object[]][]
  } | null
}

/** Whom tests write to: the part before the @ and the last digits tell the stand-in what to do. */
export const recipientOf = (carrier: SendingCarrier, wanted: Wanted) =>
  carrier.channel === 'email' ? `${wanted.email}@example.com` : `+1555123${wanted.phone}`

export interface Wanted {
  email: string
  phone: string
}
export const wanted = {
  delivered: { email: 'ada.lovelace', phone: '4567' },
  undelivered: { email: 'bounce', phone: '0002' },
  refused: { email: 'reject', phone: '0003' },
  throttled: { email: 'throttle', phone: '0004' },
  unanswered: { email: 'timeout', phone: '0005' },
  broken: { email: 'fail', phone: '0006' },
  scrambled: { email: 'duplicate', phone: '0007' },
  silent: { email: 'silent', phone: '0008' },
} as const satisfies Record<string, Wanted>

/** A message of each channel, without its recipient. */
export const contents: Record<CarrierChannel, object> = {
  sms: { text: 'Your order is on its way' },
  email: { to_name: 'Lovelace, Ada', subject: 'Your order — shipped', text: 'Hi', html: '<p>Hi</p>' },
  whatsapp: { template: { name: 'order_update', language: 'en_US' }, parameters: ['Ada', '4711'] },
}
