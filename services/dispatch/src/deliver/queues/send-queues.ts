import type { KeyMode } from '@notify/contracts'

/** The messages of one application and mode in a lane: they share their providers. */
export interface QueueKey {
  tenant_id: string
  application_id: string
  mode: KeyMode
}

/** Time of the oldest message that may be waiting: one of Postgres's clock, or the moment of the claim. */
export type Since = Date | 'earliest' | 'now'

/** How many messages of a queue to claim. */
export interface Pick {
  queue: SendQueue
  most: number
  /** {@link SendQueue.wakes} when it was picked. */
  wakes: number
}

/** The messages that may begin now: `tokens` for all queues, and `credit` more for queues without a backlog. */
export interface Turn {
  nowMs: number
  tokens: number
  credit: number
}

/** A tenant may hold this many slots for each free slot, so a tenant alone gets two thirds of all. */
const slotsForEachFree = 2
/** Messages that a queue without a backlog may begin on credit at a time. */
const mostOnCredit = 4

/** One queue of a lane, as this process knows it. */
export class SendQueue {
  readonly key: QueueKey
  readonly tenant: Tenant
  /** Whether Postgres may have messages of it. */
  hasWork = false
  /** Counts how often it was woken, so that a wake during a claim is not lost. */
  wakes = 0
  /** Whether the latest claim left messages behind. */
  hasBacklog = false
  inHand = 0
  /** The most that may be in hand: one after a sleep, then one more for each that is sent or waits for quiet hours. */
  window = Number.POSITIVE_INFINITY
  asleepUntilMs = 0
  /** Where a claim begins. Set by each search for queues, which finds what was put back by other processes. */
  since: Since = 'now'

  constructor(key: QueueKey, tenant: Tenant) {
    this.key = key
    this.tenant = tenant
  }

  /** @param since the time of the oldest message, if a search has found it */
  wake(since: Since = this.since): void {
    this.since = since
    this.hasWork = true
    this.wakes++
  }

  /** A message was put back, perhaps an old one: it has been in the queue since this time. */
  putBack(enqueuedAt: Date): void {
    const isLater = this.since === 'now' || (this.since !== 'earliest' && this.since > enqueuedAt)
    this.wake(isLater ? enqueuedAt : this.since)
  }

  /** The carrier has answered. An answer that arrives while the queue sleeps belongs to an earlier call and is ignored. */
  widen(nowMs: number): void {
    if (this.asleepUntilMs <= nowMs) this.window++
  }

  /** Claims nothing for this time, and afterwards `window` messages at first; one that was put back has caused this. */
  sleep(nowMs: number, forMs: number, window: number, enqueuedAt: Date): void {
    const isAsleep = this.asleepUntilMs > nowMs
    this.asleepUntilMs = isAsleep ? Math.min(this.asleepUntilMs, nowMs + forMs) : nowMs + forMs
    this.window = Math.max(1, window)
    this.putBack(enqueuedAt)
  }
}

/** A tenant with queues in a lane. */
class Tenant {
  readonly queues = new Map<string, SendQueue>()
  inHand = 0
}

/**
 * Decides how many messages each queue of a lane may claim. Tenants take turns, and so do the queues of a tenant. A tenant
 * holds at most twice as many slots as are free, so a new tenant always finds one.
 */
export class SendQueues {
  readonly #tenants = new Map<string, Tenant>()
  readonly #slots: number
  #inHand = 0

  /** @param slots messages in hand at the same time */
  constructor(slots: number) {
    this.#slots = slots
  }

  /** Returns the queue, and creates it when it is unknown. */
  of(key: QueueKey): SendQueue {
    const tenant = this.#tenants.get(key.tenant_id) ?? new Tenant()
    this.#tenants.set(key.tenant_id, tenant)
    const name = nameOf(key)
    const queue = tenant.queues.get(name) ?? new SendQueue(key, tenant)
    tenant.queues.set(name, queue)
    return queue
  }

  /** Chooses how many messages to claim from which queues; they count as in hand. A chosen queue moves behind the others. */
  choose(turn: Turn): Pick[] {
    const chosen = new Map<SendQueue, number>()
    let { tokens } = turn
    for (let given = -1; given !== 0; ) {
      given = 0
      for (const tenant of this.#tenants.values()) {
        if (!this.#hasSlotFor(tenant)) continue
        for (const queue of tenant.queues.values()) {
          const count = chosen.get(queue) ?? 0
          if (!isReady(queue, turn.nowMs)) continue
          const onCredit = !queue.hasBacklog && count < mostOnCredit && tokens > -turn.credit
          if (tokens < 1 && !onCredit) continue
          chosen.set(queue, count + 1)
          this.#hold(queue, 1)
          tokens--
          given++
          goBehind(tenant.queues, nameOf(queue.key), queue)
          break
        }
      }
    }
    for (const { key, tenant } of chosen.keys()) goBehind(this.#tenants, key.tenant_id, tenant)
    return [...chosen].map(([queue, most]) => ({ queue, most, wakes: queue.wakes }))
  }

  /** Ends a pick with the number of messages that were claimed. */
  claimed({ queue, most, wakes }: Pick, count: number): void {
    this.#hold(queue, count - most)
    queue.hasBacklog = count === most
    if (!queue.hasBacklog && queue.wakes === wakes) queue.since = 'now'
    queue.hasWork = queue.hasBacklog || queue.wakes !== wakes
    this.#forget(queue)
  }

  /** A message is no longer in hand. */
  release(queue: SendQueue): void {
    this.#hold(queue, -1)
    this.#forget(queue)
  }

  /** Whether a queue with a backlog only waits for tokens. */
  waitsForTokens(nowMs: number): boolean {
    return this.#some((queue) => this.#mayBegin(queue, nowMs))
  }

  /** Whether a queue without a backlog may begin work and was not `served`. */
  hasNewcomer(nowMs: number, served: ReadonlySet<SendQueue>): boolean {
    return this.#some((queue) => !queue.hasBacklog && !served.has(queue) && this.#mayBegin(queue, nowMs))
  }

  /** When the first sleeping queue is due; infinite when none sleeps. */
  nextWakeMs(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY
    this.#some(({ hasWork, asleepUntilMs }) => {
      if (hasWork && asleepUntilMs > nowMs) nextMs = Math.min(nextMs, asleepUntilMs)
      return false
    })
    return nextMs
  }

  #mayBegin(queue: SendQueue, nowMs: number): boolean {
    return isReady(queue, nowMs) && this.#hasSlotFor(queue.tenant)
  }

  #some(test: (queue: SendQueue) => boolean): boolean {
    for (const { queues } of this.#tenants.values()) for (const queue of queues.values()) if (test(queue)) return true
    return false
  }

  #hasSlotFor(tenant: Tenant): boolean {
    const free = this.#slots - this.#inHand
    // A queue with nothing in hand gets a slot in any case, however many the others hold.
    return tenant.inHand < slotsForEachFree * free || (tenant.inHand === 0 && -free < this.#slots)
  }

  #hold(queue: SendQueue, count: number): void {
    queue.inHand += count
    queue.tenant.inHand += count
    this.#inHand += count
  }

  #forget(queue: SendQueue): void {
    const { hasWork, inHand, key, tenant } = queue
    if (hasWork || inHand > 0) return
    tenant.queues.delete(nameOf(key))
    if (tenant.queues.size === 0) this.#tenants.delete(key.tenant_id)
  }
}

/** The name of a queue within its lane: an application has one tenant. */
export const nameOf = ({ application_id, mode }: Omit<QueueKey, 'tenant_id'>): string => `${application_id} ${mode}`

const isReady = ({ hasWork, asleepUntilMs, inHand, window }: SendQueue, nowMs: number): boolean =>
  hasWork && asleepUntilMs <= nowMs && inHand < window

function goBehind<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
}
