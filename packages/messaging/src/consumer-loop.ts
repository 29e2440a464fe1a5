import { setTimeout as delay } from 'node:timers/promises'
import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import type { Subscription } from '@nats-io/transport-node'
import { subjectFilter, type WireEvent } from '@notify/contracts'
import type { Kit } from '@notify/service-kit'
import { Backlog } from './backlog.ts'
import type { Bus } from './connect.ts'
import type { ConsumeOptions } from './consume-options.ts'
import type { ConsumerEntry } from './consumer.ts'
import { DurablePosition } from './durable-position.ts'
import { messageOf, type Result, settleEvent } from './event-handling.ts'
import { fetchOptions } from './fetch-options.ts'
import { HeldMessages } from './held-messages.ts'
import { matchesFilter } from './matches-filter.ts'
import { type Mend, mendSentences } from './mend-consumer.ts'
import { messageIdHeader } from './publish.ts'
import { ownerOf, readMessage, unreadableForMs } from './read-event.ts'
import { Slots } from './slots.ts'

/** Unacknowledged messages are reported as in progress this often in an ack wait; one report may be lost. */
const reportsPerWait = 3
/**
 * Delay before a stopping process returns unstarted messages: nats-server 2.9 would deliver them to the pull request that
 * just ended, so that some are redelivered late and others twice.
 */
const returnDelayMs = 200
/** Timeout of the drain, at whose end the server has sent all messages. */
const longestDrainMs = 1000
/** Interval of the warning while nothing can be fetched. */
const warnEveryMs = 10_000
/** More messages are fetched when fewer than this number wait. */
const fewMessages = 8
/** Bytes of events that are read ahead, so that tenants take turns although the stream has one order. */
const mostWaiting = 4 * 1024 * 1024
/** Bytes of events that are handled at once: a thousand large ones would exceed the memory of a process. */
const mostRunning = 16 * 1024 * 1024
/** From this number of deliveries an old message counts as failing repeatedly. */
const fewestDeliveries = 5

/** Results counted per durable. `foreign`: a message outside its filter. Causes of a mend: the durable was recreated. */
export type Counted = Result | 'foreign' | Mend['cause']

/** Fetches messages of a durable and handles their events, up to `concurrency` at a time. */
export class ConsumerLoop<Context> {
  readonly #kit: Kit
  readonly #entry: ConsumerEntry<Context>
  readonly #options: ConsumeOptions<Context>
  readonly #count: (result: Counted) => void
  readonly #slots: Slots
  readonly #position: DurablePosition
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
    this.#slots = new Slots(entry.concurrency, mostWaiting, mostRunning)
    this.#held = new HeldMessages(bus)
    this.#position = new DurablePosition(bus, {
      publisher: entry.event.publisher,
      durable: entry.durable,
      filter: subjectFilter(entry.event, entry.where),
      ackWaitMs: entry.ackWaitMs,
      maxAckPending: 1000,
      unsyncedMs: options.unsyncedMs ?? 5 * 60_000,
      onMended: (cause) => {
        count(cause)
        kit.log[cause === 'mended' ? 'info' : 'warn']({ durable: entry.durable }, mendSentences[cause])
      },
    })
  }

  start(): void {
    const holding = setInterval(() => this.#held.keep(), this.#entry.ackWaitMs / reportsPerWait)
    void this.#position.onReconnection(() => void this.#endFetch())
    this.#running = Promise.all([this.#fetchForEver(), this.#handleForEver()]).finally(() => clearInterval(holding))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    for (const message of this.#backlog.close()) this.#held.answer(message, () => message.nak(returnDelayMs))
    await this.#endFetch()
    await this.#running
  }

  /**
   * Ends the open pull request. Its subscription, a private property of the client, is drained first: closing it at once
   * would drop messages on their way, which return only after the ack wait.
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

  /** A lost durable or stream ends a fetch; then both are provisioned again. */
  async #fetchForEver(): Promise<void> {
    let failingSinceMs: number | undefined
    while (!this.#stopped) {
      try {
        const source = await this.#position.provision()
        while (!this.#stopped && !this.#position.isDue) {
          await this.#fetch(source)
          failingSinceMs = undefined
        }
        continue
      } catch (error) {
        // At the first start the service that owns the stream may start later than this one.
        failingSinceMs ??= performance.now()
        if (performance.now() - failingSinceMs >= warnEveryMs && !this.#stopped) {
          failingSinceMs = undefined
          const line = { durable: this.#entry.durable, err: error }
          this.#kit.log.warn(line, 'consumer receives nothing: its stream is missing or does not respond')
        }
      }
      await delay(250, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  /**
   * Fetches a few messages when there is room. `consume` would hide buffered ones, so that they could not be kept in
   * progress.
   */
  async #fetch(source: Consumer): Promise<void> {
    await this.#backlog.room()
    if (this.#stopped) return
    const messages = await source.fetch(fetchOptions)
    this.#messages = messages
    if (this.#stopped) void this.#endFetch()
    for await (const message of messages) {
      this.#held.take(message)
      this.#position.note(message)
      if (this.#stopped) {
        this.#held.answer(message, () => message.nak(returnDelayMs))
        continue
      }
      this.#backlog.push(message)
    }
  }

  /** Takes messages in order; their events start in the turns of their tenants. */
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

  /** Acknowledges a message once all events are handled or dead letters. A temporary failure of one redelivers it. */
  async #handleMessage(message: JsMsg): Promise<void> {
    if (!matchesFilter(this.#position.filter, message.subject)) return this.#passOver(message)
    const messageId = message.headers?.get(messageIdHeader) || `${message.info.stream}:${message.seq}`
    try {
      const events = readMessage(message.string())
      const size = message.data.length / events.length
      const results = await Promise.all(
        events.map((event, index) =>
          this.#slots.run(ownerOf(event), size, () => this.#handleEvent(message, event, `${messageId}:${index}`)),
        ),
      )
      const isDone = !results.includes('repeat')
      this.#held.answer(message, () => (isDone ? message.ack() : message.nak(this.#repeatAfterMs(message))))
    } catch (error) {
      // Only parsing throws: errors of handlers are results.
      await this.#putAside(message, messageId, messageOf(error))
    }
  }

  /**
   * nats-server 2.9 may deliver a message that reuses the sequence of a lost one. Skipping it loses nothing: the
   * durables whose filter matches receive it too.
   */
  #passOver(message: JsMsg): void {
    const { durable } = this.#entry
    this.#kit.log.warn({ durable, subject: message.subject, seq: message.seq }, 'message with a foreign subject')
    this.#count('foreign')
    this.#held.answer(message, () => message.ack())
  }

  async #handleEvent(message: JsMsg, wire: WireEvent, eventId: string): Promise<Result> {
    // The event was not started before the drain; another replica handles it.
    if (this.#stopped) return 'repeat'
    const { subject, redelivered } = message
    const details = { deliveries: message.info.deliveryCount, again_ms: this.#repeatAfterMs(message) }
    const leavesStream = this.#keepsFailing(message)
    const arrival = { wire, eventId, subject, redelivered, retryUntil: retryUntil(message), leavesStream, details }
    const result = await settleEvent(this.#kit, this.#entry, this.#options, arrival)
    this.#count(result)
    return result
  }

  /** Keeps a message that cannot be parsed; another release may be able to. */
  async #putAside(message: JsMsg, eventId: string, reason: string): Promise<void> {
    const { subject } = message
    const { durable } = this.#entry
    this.#kit.log.warn(
      { durable, subject, event_id: eventId, reason },
      'message is unreadable; it is kept as a dead letter',
    )
    // Postgres accepts every character except NUL.
    const event = message.string().replaceAll('\0', '\ufffd')
    const whole = { owner: '', wholeMessage: true, retryUntil: retryUntil(message) }
    try {
      await this.#options.deadLetters.keep({ durable, eventId, subject, event, reason, ...whole })
      this.#held.answer(message, () => message.ack())
      this.#count('waiting')
    } catch {
      this.#held.answer(message, () => message.nak(this.#repeatAfterMs(message)))
      this.#count('repeat')
    }
  }

  #keepsFailing({ info }: JsMsg): boolean {
    const { failingMs = 60 * 60_000 } = this.#options
    return info.deliveryCount >= fewestDeliveries && Date.now() - info.timestampNanos / 1_000_000 >= failingMs
  }

  #repeatAfterMs({ info }: JsMsg): number {
    const { retryMs } = this.#entry
    const delayMs = retryMs[Math.min(info.deliveryCount, retryMs.length) - 1] ?? 1000
    return this.#stopped ? Math.max(delayMs, returnDelayMs) : delayMs
  }
}

/** Based on the publication time in the stream. */
function retryUntil({ info }: JsMsg): Date {
  return new Date(info.timestampNanos / 1_000_000 + unreadableForMs)
}
