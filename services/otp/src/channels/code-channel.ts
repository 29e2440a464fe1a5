import type { ApplicationSettings } from '../applications/settings-store.ts'

/** A validated recipient. */
export interface Recipient {
  /** As it is sent to: the domain of an address is in ASCII. */
  text: string
  masked: string
}

/** What a message with a code is made of. */
export interface Content {
  transactionId: string
  recipient: string
  code: string
  ttlSeconds: number
  /** The locale that the request asked for. */
  language: string | null
  settings: ApplicationSettings
}

/** Our own text in one language. */
export interface DefaultText {
  subject: string
  sentence: string
  ignore: string
  /** The last line, which browsers read; empty without a host. */
  autofill: string
  locale: string
}

/** A request of dispatch, and the language of its texts where they are ours. */
export interface WrittenRequest extends Record<string, unknown> {
  written_locale?: string
}

/** A channel that one-time codes are sent by. */
export interface CodeChannel {
  /** Whether its recipients are phone numbers, which limits by prefix count. */
  byPhone: boolean
  /** @throws Problem `invalid_recipient` unless the channel can reach the recipient */
  readRecipient(recipient: string): Recipient
  /** The recipient as dispatch reads it. Default: the text. */
  recipientOf?(content: Content): object
  /** The fields of a request with our own text. */
  defaultText(text: DefaultText, content: Content): WrittenRequest
}
