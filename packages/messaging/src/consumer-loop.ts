import { setTimeout as delay } from 'node:timers/promises'
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import type { Subscription } from '@nats-io/transport-node'
import { subjectFilter, type WireEvent } from '@notify/contracts'
import type { Kit } from '@notify/service-kit'
import { Backlog } from './backlog.ts'
import type { Bus } from './connect.ts'
import type { ConsumeOptions } from './consume.ts'
import type { ConsumerEntry } from './consumer.ts'
import { DurablePlace } from './durable-place.ts'
import { messageOf, type Result, settleEvent } from './event-handling.ts'
import { HeldMessages } from './held-messages.ts'
import { isHeardBy } from './is-heard-by.ts'
import { messageIdHeader } from './publish.ts'
import { readMessage, unreadableForMs } from './read-event.ts'
import { Slots } from './slots.ts'

const defaultAckWaitMs = 15_000
/** So often within that wait JetStream is told of all messages that are held: one word may be lost. */
const wordsPerWait = 3
/**
 * When a process that stops gives back what it has not begun. Not at once: nats-server 2.9 would hand it to the pull request
 * that has just ended, and then forget one message for long and deliver another twice.
 */
const givenBackMs = 200
/** How long the server may take to say that nothing more comes. */
const longestDrainMs = 1000
/** Messages taken at once: few, since one may carry hundreds of events, which other processes could handle sooner. */
const fetchedMessages = 16
/** More are fetched when fewer than these wait. */
const fewMessages = 8

/** What is counted of a durable. `foreign`: a message of other subjects. `mended`: the durable was made again. */
export type Counted = Result | 'foreign' | 'mended'

/** Takes messages of one durable and hands their events to the handler, so many at a time. */
export class ConsumerLoop<Context> {
  readonly #kit: Kit
  readonly #entry: ConsumerEntry<Context>
  readonly #options: ConsumeOptions<Context>
  readonly #count: (result: Counted) => void
  readonly #slots: Slots
  readonly #ackWaitMs: number
  readonly #place: DurablePlace
  readonly #held: HeldMessages
  readonly #backlog = new Backlog<JsMsg>(fewMessages)
  readonly #underWay = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #messages: ConsumerMessages | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(
    kit: Kit,
    bus: Bus,
    entry: ConsumerEntry<Context>,
    options: ConsumeOptions<Context>,
    count: (result: Counted) => void,
  ) {
    this.#kit = kit
    this.#entry = entry
    this.#options = options
    this.#count = count
    this.#slots = new Slots(entry.concurrency)
    this.#ackWaitMs = options.ackWaitMs ?? defaultAckWaitMs
    this.#held = new HeldMessages(bus)
    this.#place = new DurablePlace(bus, {
      publisher: entry.event.publisher,
      durable: entry.durable,
      filter: subjectFilter(entry.event, entry.where),
      ackWaitMs: this.#ackWaitMs,
      maxAckPending: 1000,
      unsyncedMs: options.unsyncedMs ?? 5 * 60_000,
      onMended: () => {
        count('mended')
        kit.log.error({ durable: entry.durable }, 'a durable had delivered what its stream has lost: it is made again')
      },
    })
  }

  start(): void {
    const holding = setInterval(() => this.#held.keep(), this.#ackWaitMs / wordsPerWait)
    void this.#place.onReconnection(() => void this.#endFetch())
    this.#running = Promise.all([this.#fetchForEver(), this.#handleForEver()]).finally(() => clearInterval(holding))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    for (const message of this.#backlog.close()) this.#held.answer(message, () => message.nak(givenBackMs))
    await this.#endFetch()
    await this.#running
  }

  /**
   * Ends the open request for messages. Closing it would drop unread what is on its way here, and that would come again only
   * after the wait for its ack. So its subscription, which the client keeps to itself, is drained first.
   */
  async #endFetch(): Promise<void> {
    const messages: (ConsumerMessages & { sub?: Subscription }) | undefined = this.#messages
    const drained = messages?.sub?.drain().catch(() => {})
    await Promise.race([drained, delay(longestDrainMs, undefined, { ref: false })])
    await messages?.close()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** A lost durable or stream ends a fetch: then everything is made again. */
  async #fetchForEver(): Promise<void> {
    let failures = 0
    while (!this.#stopped) {
      try {
        const source = await this.#place.provision()
        failures = 0
        while (!this.#stopped && !this.#place.isDue) await this.#fetch(source)
        continue
      } catch (error) {
        // At the first start the owner of the stream may be slower than this service: that is no news yet.
        const line = { durable: this.#entry.durable, err: error }
        if (++failures % 40 === 0 && !this.#stopped) this.#kit.log.warn(line, 'the consumer waits for its stream')
      }
      await delay(250, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  /**
   * Takes a few messages when there is room for them. Not `consume`, which keeps what it has taken to itself: nobody could
   * tell JetStream that it is still held.
   */
  async #fetch(source: Consumer): Promise<void> {
    await this.#backlog.room()
    if (this.#stopped) return
    const messages = await source.fetch({ max_messages: fetchedMessages, expires: 10_000, idle_heartbeat: 2000 })
    this.#messages = messages
    if (this.#stopped) void this.#endFetch()
    for await (const message of messages) {
      this.#held.take(message)
      this.#place.note(message)
      if (this.#stopped) {
        this.#held.answer(message, () => message.nak(givenBackMs))
        continue
      }
      this.#backlog.push(message)
    }
  }

  /** Begins messages in their order, each as soon as one of its events would start at once. */
  async #handleForEver(): Promise<void> {
    for (;;) {
      await this.#slots.room()
      const message = await this.#backlog.next()
      if (!message) break
      const task = this.#handleMessage(message)
      this.#underWay.add(task)
      void task.then(() => this.#underWay.delete(task))
    }
    await Promise.allSettled(this.#underWay)
  }

  /** All events done or put aside: the message is done. One that failed for now brings the whole message back. */
  async #handleMessage(message: JsMsg): Promise<void> {
    if (!isHeardBy(this.#place.filter, message.subject)) return this.#passOver(message)
    const messageId = message.headers?.get(messageIdHeader) || `${message.info.stream}:${message.seq}`
    try {
      const events = readMessage(message.string())
      const results = await Promise.all(
        events.map((event, index) => this.#slots.run(() => this.#handleEvent(message, event, `${messageId}:${index}`))),
      )
      const isDone = !results.includes('repeat')
      this.#held.answer(message, () => (isDone ? message.ack() : message.nak(this.#repeatAfterMs(message))))
    } catch (error) {
      // Only its reading throws: handlers' errors have become results.
      await this.#putAside(message, messageId, messageOf(error))
    }
  }

  /**
   * nats-server 2.9 may hand over what bears the sequence of a message that it has lost. Nothing of this durable's is lost by
   * passing it over: the server gives it to the durables whose filter it fits.
   */
  #passOver(message: JsMsg): void {
    const { durable } = this.#entry
    this.#kit.log.warn({ durable, subject: message.subject, seq: message.seq }, 'a message of another subject')
    this.#count('foreign')
    this.#held.answer(message, () => message.ack())
  }

  async #handleEvent(message: JsMsg, wire: WireEvent, eventId: string): Promise<Result> {
    // Not begun when the drain began: another replica takes it.
    if (this.#stopped) return 'repeat'
    const { subject, redelivered } = message
    const details = { deliveries: message.info.deliveryCount, again_ms: this.#repeatAfterMs(message) }
    const arrival = { wire, eventId, subject, redelivered, retryUntil: retryUntil(message), details }
    const result = await settleEvent(this.#kit, this.#entry, this.#options, arrival)
    this.#count(result)
    return result
  }

  /** Keeps a message that cannot be taken apart; another release, perhaps, can. */
  async #putAside(message: JsMsg, eventId: string, reason: string): Promise<void> {
    const { subject } = message
    const { durable } = this.#entry
    this.#kit.log.warn({ durable, subject, event_id: eventId, reason }, 'a message cannot be read and is put aside')
    // Postgres takes every character but NUL.
    const event = message.string().replaceAll('\0', '\ufffd')
    const letter = { durable, eventId, subject, event, wholeMessage: true, reason, retryUntil: retryUntil(message) }
    try {
      await this.#options.deadLetters.keep(letter)
      this.#held.answer(message, () => message.ack())
      this.#count('waiting')
    } catch {
      this.#held.answer(message, () => message.nak(this.#repeatAfterMs(message)))
      this.#count('repeat')
    }
  }

  #repeatAfterMs({ info }: JsMsg): number {
    const { retryMs } = this.#entry
    return retryMs[Math.min(info.deliveryCount, retryMs.length) - 1] ?? 1000
  }
}

/** By the time of its publication, as the stream has it. */
function retryUntil({ info }: JsMsg): Date {
  return new Date(info.timestampNanos / 1_000_000 + unreadableForMs)
}
