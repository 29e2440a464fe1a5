import { setTimeout as delay } from 'node:timers/promises'
import type { streamInbox } from '@notify/contracts'
import type { EncodedEvent, EventWriter } from '@notify/service-kit'
import type { InboxEvent } from './inbox-event.ts'

/** While more than this is unread, events are read from Postgres no faster than the reader takes them. */
const maxAheadBytes = 256 * 1024
/** Doubled until the reader has taken enough: looking at thousands that take nothing would cost a fifth of a core. */
const lookAgainMs = { least: 20, most: 500 }

export type InboxWriter = Pick<
  EventWriter<typeof streamInbox>,
  'send' | 'sendEncoded' | 'end' | 'bufferedBytes' | 'isClosed'
>

/** The source of a stream's events. */
export interface Source {
  /** The next events after a sequence, in order; empty when there are none. */
  readAfter(seq: number): Promise<readonly InboxEvent[]>
  encode(event: InboxEvent): EncodedEvent
  /** Called when events on the bus were missed. */
  onGap(): void
  /** Called when events could not be read; the reader asks for them again. */
  onFailure(error: unknown): void
}

/**
 * One open stream. It sends only the event after the last sequence sent: older ones are known, and a gap is read from the
 * database. So each event is sent once and in order, even if the bus loses, repeats or reorders events.
 */
export class Reader {
  readonly #writer: InboxWriter
  readonly #source: Source
  #sent = 0
  #target = 0
  #isReading = true
  #isStarted = false

  constructor(writer: InboxWriter, source: Source) {
    this.#writer = writer
    this.#source = source
  }

  /** Sequence of the last event sent, or of the one that the reader had before. */
  get sent(): number {
    return this.#sent
  }

  /** Whether every published event has been sent. */
  get isLevel(): boolean {
    return !this.#isReading
  }

  /** Begins after `sent`, and reads up to `head`. Earlier events are not lost: they raised the target. */
  start(sent: number, head: number): void {
    this.#sent = sent
    this.#isStarted = true
    this.#isReading = false
    this.reach(head)
  }

  /** Takes an event from the bus. */
  hear(event: InboxEvent): void {
    if (this.#isReading) this.#target = Math.max(this.#target, event.seq)
    else if (event.seq === this.#sent + 1) this.#send(event)
    else if (event.seq > this.#sent) {
      this.#source.onGap()
      this.reach(event.seq)
    }
  }

  /** Makes sure that everything up to a sequence is sent. */
  reach(seq: number): void {
    this.#target = Math.max(this.#target, seq)
    if (this.#isReading || this.#target <= this.#sent) return
    this.#isReading = true
    void this.#read()
  }

  /** Ends the stream. */
  end(): void {
    this.#writer.end()
  }

  /** Before the start it is needless: clients read their preferences after `connection.ready`. */
  signalPreferences(): void {
    if (this.#isStarted) this.#writer.send({ id: this.#sent, event: 'preferences.changed', data: {} })
  }

  beat(): void {
    this.#writer.send({ id: this.#sent, event: 'heartbeat', data: {} })
  }

  async #read(): Promise<void> {
    const writer = this.#writer
    let waitMs = lookAgainMs.least
    try {
      while (this.#target > this.#sent && !writer.isClosed) {
        if (writer.bufferedBytes > maxAheadBytes) {
          await delay(waitMs)
          waitMs = Math.min(2 * waitMs, lookAgainMs.most)
        } else {
          if (!(await this.#sendNext())) return this.end()
          waitMs = lookAgainMs.least
        }
      }
    } catch (error) {
      this.#source.onFailure(error)
    } finally {
      this.#isReading = false
    }
  }

  /** Sends the next events. The rest is read again for a reader that is too slow: thousands that wait would keep a page each. */
  async #sendNext(): Promise<boolean> {
    const events = await this.#source.readAfter(this.#sent)
    for (const event of events) {
      // Deleted after their retention: they cannot be sent, and nothing is omitted silently.
      if (event.seq !== this.#sent + 1) return false
      this.#send(event)
      if (this.#writer.bufferedBytes > maxAheadBytes) break
    }
    return events.length > 0
  }

  #send(event: InboxEvent): void {
    const encoded = this.#source.encode(event)
    this.#sent = event.seq
    this.#writer.sendEncoded(encoded)
  }
}
