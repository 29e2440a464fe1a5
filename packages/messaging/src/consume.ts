import { setTimeout as delay } from 'node:timers/promises'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { streams, subjectFilter } from '@notify/contracts'
import { isTraceparent, type Kit, SpanKind } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import { type ConsumerEntry, type Delivery, PermanentError } from './consumer.ts'
import { provisionConsumer } from './provision.ts'
import { eventIdHeader } from './publish.ts'

const ackWaitMs = 15_000
const stillWorkingMs = 5_000

/** An event that no repetition helps, as the owner of the dead letters keeps it. */
export interface DeadLetter {
  eventId: string
  durable: string
  subject: string
  payload: string
  reason: string
}

export interface ConsumeOptions<Context> {
  context: Context
  consumers: readonly ConsumerEntry<Context>[]
  /** Keeps a dead letter; the event is given up only after this returned. */
  keepDeadLetter(letter: DeadLetter): Promise<void>
}

/** Starts the consumers of a service; registers their end: they stop taking events, and finish those under way. */
export function startConsumers<Context>(kit: Kit, bus: Bus, options: ConsumeOptions<Context>): void {
  const handled = kit.metrics.counter('consumer_events_total', 'Events by durable and result')
  for (const entry of options.consumers) {
    const loop = new ConsumerLoop(kit, bus, entry, options, (result) => handled({ durable: entry.durable, result }))
    kit.lifecycle.onStop(`consumer ${entry.durable}`, () => loop.stop())
    loop.start()
  }
}

class ConsumerLoop<Context> {
  readonly #kit: Kit
  readonly #bus: Bus
  readonly #entry: ConsumerEntry<Context>
  readonly #options: ConsumeOptions<Context>
  readonly #count: (result: 'done' | 'repeat' | 'dead') => void
  readonly #underWay = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #messages: ConsumerMessages | undefined
  #onFree: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(
    kit: Kit,
    bus: Bus,
    entry: ConsumerEntry<Context>,
    options: ConsumeOptions<Context>,
    count: (result: 'done' | 'repeat' | 'dead') => void,
  ) {
    this.#kit = kit
    this.#bus = bus
    this.#entry = entry
    this.#options = options
    this.#count = count
  }

  start(): void {
    this.#running = this.#runForEver()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#messages?.close()
    await this.#running
    await Promise.allSettled(this.#underWay)
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** A lost durable or stream ends `consume`: then everything is made again. */
  async #runForEver(): Promise<void> {
    let quiet = 0
    while (!this.#stopped) {
      try {
        await this.#consume()
        quiet = 0
      } catch (error) {
        const line = { durable: this.#entry.durable, err: error }
        if (quiet++ % 40 === 0 && !this.#stopped) this.#kit.log.warn(line, 'the consumer waits for its stream')
      }
      await delay(250, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  async #consume(): Promise<void> {
    const { event, durable, where, concurrency } = this.#entry
    await provisionConsumer(this.#bus, {
      publisher: event.publisher,
      durable,
      filter: subjectFilter(event, where),
      ackWaitMs,
      maxAckPending: Math.max(1000, concurrency * 4),
    })
    const source = await this.#bus.js.consumers.get(streams[event.publisher].name, durable)
    const messages = await source.consume({
      max_messages: concurrency,
      expires: 10_000,
      idle_heartbeat: 2000,
      abort_on_missing_resource: true,
    })
    this.#messages = messages
    if (this.#stopped) await messages.close()
    for await (const message of messages) {
      if (this.#stopped) {
        message.nak()
        continue
      }
      const task = this.#handle(message)
      this.#underWay.add(task)
      void task.then(() => {
        this.#underWay.delete(task)
        this.#onFree?.()
      })
      while (this.#underWay.size >= concurrency) await new Promise<void>((resolve) => (this.#onFree = resolve))
    }
  }

  async #handle(message: JsMsg): Promise<void> {
    const { event, handle } = this.#entry
    const parent = message.headers?.get('traceparent')
    const span = this.#kit.tracer.start(`consume ${this.#entry.durable}`, {
      parent: isTraceparent(parent) ? parent : undefined,
      kind: SpanKind.CONSUMER,
    })
    const eventId = message.headers?.get(eventIdHeader) || `${message.info.stream}:${message.seq}`
    const delivery: Delivery = { eventId, subject: message.subject, redelivered: message.redelivered, span }
    const working = setInterval(() => message.working(), stillWorkingMs)
    try {
      await handle(this.#options.context, this.#read(event.schema, message), delivery)
      message.ack()
      this.#count('done')
      span.end()
    } catch (error) {
      span.end(error)
      await this.#fail(message, eventId, error)
    } finally {
      clearInterval(working)
    }
  }

  #read(schema: ConsumerEntry<Context>['event']['schema'], message: JsMsg): unknown {
    let value: unknown
    try {
      value = message.json()
    } catch {
      throw new PermanentError('the payload is not JSON')
    }
    const result = schema.safeParse(value)
    if (!result.success) {
      const issue = result.error.issues[0]
      throw new PermanentError(`the payload does not fit its schema: ${issue?.path.join('.')} ${issue?.message}`)
    }
    return result.data
  }

  async #fail(message: JsMsg, eventId: string, error: unknown): Promise<void> {
    const { durable, retryMs } = this.#entry
    const line = { durable, event_id: eventId, deliveries: message.info.deliveryCount, err: error }
    const again = retryMs[Math.min(message.info.deliveryCount, retryMs.length) - 1] ?? 1000
    if (!(error instanceof PermanentError)) {
      this.#kit.log.warn({ ...line, again_ms: again }, 'an event failed and will be handled again')
      message.nak(again)
      this.#count('repeat')
      return
    }
    this.#kit.log.error(line, 'an event goes to the dead letters')
    try {
      const { subject } = message
      await this.#options.keepDeadLetter({ eventId, durable, subject, payload: message.string(), reason: error.message })
      message.term(error.message.slice(0, 200))
      this.#count('dead')
    } catch {
      message.nak(again)
    }
  }
}
