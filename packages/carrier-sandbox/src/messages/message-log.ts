import { Fifo } from '../fifo.ts'
import type { MailParts } from '../stand-ins/mail-parts.ts'

/** One message that a carrier's stand-in accepted. The names are those of the JSON that `GET /messages` answers. */
export interface LoggedMessage extends MailParts {
  id: string
  channel: string
  /** The carrier account that sent it. */
  account: string
  to: string
  from: string
  /** The plain text; empty when an email has none. */
  text: string
  /** Of a WhatsApp message: the texts of its buttons. */
  buttons?: string[]
  /** Of an email. */
  subject?: string
  /** The HTML of an email, when it has such a part. */
  html?: string
  provider_message_id: string
  /** The carrier's name of its state; a final state stays, even if more callbacks follow. */
  status: string
  /** The carrier's reason when it was not delivered. */
  error_code: number | string | null
  /** ISO 8601, UTC. */
  received_at: string
  /** When the stand-in handed it to the network, ISO 8601 in UTC. */
  sent_at: string | null
  request: { headers: Record<string, string | string[] | undefined>; body: Record<string, unknown> }
}

/** Which messages to list. */
export interface MessageFilter {
  to?: string | undefined
  channel?: string | undefined
}

/** The last messages of every channel, in memory: above `capacity`, the oldest are dropped. */
export class MessageLog {
  readonly #capacity: number
  #all = new Fifo<LoggedMessage>()
  #byRecipient = new Map<string, Fifo<LoggedMessage>>()
  #byProviderId = new Map<string, LoggedMessage>()
  #channels = new Set<string>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(message: LoggedMessage): void {
    this.#all.push(message)
    this.#channels.add(message.channel)
    this.#byProviderId.set(message.provider_message_id, message)
    const ofRecipient = this.#byRecipient.get(message.to)
    if (ofRecipient) ofRecipient.push(message)
    else this.#byRecipient.set(message.to, Fifo.of(message))
    if (this.#all.length > this.#capacity) this.#dropOldest()
  }

  /** The newest `limit` messages that match, newest first, and the total number that match. */
  newest({ to, channel }: MessageFilter, limit: number): { items: LoggedMessage[]; total: number } {
    const candidates = to === undefined ? this.#all : this.#byRecipient.get(to)
    const items: LoggedMessage[] = []
    if (!candidates) return { items, total: 0 }
    let total = 0
    for (const message of candidates.newestFirst()) {
      if (channel !== undefined && message.channel !== channel) continue
      if (channel === undefined && items.length === limit) return { items, total: candidates.length }
      total++
      if (items.length < limit) items.push(message)
    }
    return { items, total }
  }

  /** The channels that any message came by, in alphabetical order. */
  channels(): string[] {
    return [...this.#channels].sort()
  }

  findByProviderId(providerMessageId: string): LoggedMessage | undefined {
    return this.#byProviderId.get(providerMessageId)
  }

  clear(): void {
    this.#all = new Fifo()
    this.#byRecipient.clear()
    this.#byProviderId.clear()
    this.#channels.clear()
  }

  #dropOldest(): void {
    const oldest = this.#all.shift()
    if (!oldest) return
    this.#byProviderId.delete(oldest.provider_message_id)
    const ofRecipient = this.#byRecipient.get(oldest.to)
    ofRecipient?.shift()
    if (ofRecipient?.length === 0) this.#byRecipient.delete(oldest.to)
  }
}
