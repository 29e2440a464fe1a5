import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ApiResponse, eventually, type TestEnv } from '@notify/dev-env'
import { isLate } from '@notify/test-kit/api'

interface Entry {
  phone: string
  askedAtMs: number
  /** Undefined: nobody answered 202. */
  acceptedAtMs?: number
  /** What the answer named. */
  id?: string
  /** What else was answered before, by status; 0 is no answer. */
  refusals: number[]
  /** Answers that its time ran out, as on a busy machine. */
  late: number
}

/** What the ledger found once all was over. */
export interface Account {
  accepted: number
  /** Accepted, and never at the carrier, or not in the database that serves now. */
  lost: string[]
  /** At the carrier more often than attempts with an unknown outcome explain. */
  repeated: string[]
  /** Messages at the carrier twice, explained. */
  explained: number
  refusals: Record<string, number>
  /** Answers that the time of a call ran out; they are not among the refusals. */
  late: number
  /** From the fault, or from the call if that was later, to the carrier: the slowest message. */
  worstMs: number
}

/** Of this and earlier ledgers: each message has a number of its own. */
let sent = 0

const everyMs = 50
const tryAgainAfterMs = 200

/**
 * Sends at a steady rate like a customer who repeats a call with the same idempotency key until it is accepted, and keeps a list
 * outside of the system.
 */
export class Ledger {
  private readonly env: TestEnv
  private readonly entries: Entry[] = []
  private readonly open = new Set<Promise<void>>()
  private stopped = false
  private readonly pace: Promise<void>

  constructor(env: TestEnv) {
    this.env = env
    this.pace = this.send()
  }

  /** How many were accepted so far. */
  get accepted(): number {
    return this.entries.filter(({ acceptedAtMs }) => acceptedAtMs !== undefined).length
  }

  /** Waits until so many more are accepted. */
  async untilMore(count: number): Promise<void> {
    const before = this.accepted
    await eventually(() => {
      if (this.accepted < before + count) throw new Error(`${this.accepted - before} of ${count} were accepted`)
    })
  }

  /** Stops sending, waits until the carrier has everything, and counts. */
  async settle(faults: readonly number[]): Promise<Account> {
    this.stopped = true
    await this.pace
    await Promise.all(this.open)
    const accepted = this.entries.filter(({ acceptedAtMs }) => acceptedAtMs !== undefined)
    const arrivals = await this.arrivalsOf(accepted).catch(() => this.arrivals())
    const ambiguous = await this.ambiguousByPhone()
    const stored = await this.storedIds()
    const delays = accepted.flatMap(({ phone, askedAtMs }) => {
      const first = arrivals.get(phone)?.[0]
      if (first === undefined) return []
      return first - (faults.find((faultMs) => faultMs >= askedAtMs && faultMs <= first) ?? askedAtMs)
    })
    const twice = [...arrivals].filter(([, times]) => times.length > 1)
    const isExplained = ([phone, times]: [string, number[]]) => times.length - 1 <= (ambiguous.get(phone) ?? 0)
    return {
      accepted: accepted.length,
      lost: accepted.flatMap(({ phone, id }) => (arrivals.has(phone) && stored.has(id!) ? [] : phone)),
      repeated: twice.filter((entry) => !isExplained(entry)).map(([phone]) => phone),
      explained: twice.filter(isExplained).length,
      refusals: this.refusals(),
      late: this.entries.reduce((sum, { late }) => sum + late, 0),
      worstMs: Math.max(0, ...delays),
    }
  }

  private async send(): Promise<void> {
    while (!this.stopped) {
      const one = this.sendOne(`+1555${String(sent++).padStart(6, '0')}1`)
      this.open.add(one)
      void one.finally(() => this.open.delete(one))
      await delay(everyMs)
    }
  }

  private async sendOne(phone: string): Promise<void> {
    const entry: Entry = { phone, askedAtMs: Date.now(), refusals: [], late: 0 }
    this.entries.push(entry)
    const key = randomUUID()
    for (;;) {
      const answer = await this.call(phone, key)
      const status = answer?.status ?? 0
      if (status === 202) {
        Object.assign(entry, { acceptedAtMs: Date.now(), id: answer?.body.notification_id })
        return
      }
      if (answer && isLate(answer)) entry.late += 1
      else entry.refusals.push(status)
      if (status !== 0 && status !== 429 && status < 500) return
      await delay(tryAgainAfterMs)
    }
  }

  private call(phone: string, key: string): Promise<ApiResponse | undefined> {
    const body = { channel: 'sms', recipient: phone, body: `to ${phone}` }
    const request = { body, headers: { 'idempotency-key': key } }
    return this.env.api('POST', '/api/v1/notifications', request).catch(() => undefined)
  }

  private async arrivalsOf(accepted: readonly Entry[]): Promise<Map<string, number[]>> {
    let arrivals = new Map<string, number[]>()
    await eventually(
      async () => {
        arrivals = await this.arrivals()
        const missing = accepted.filter(({ phone }) => !arrivals.has(phone))
        if (missing.length > 0) throw new Error(`${missing.length} are not at the carrier`)
      },
      { timeoutMs: 60_000, intervalMs: 250 },
    )
    return arrivals
  }

  /** The times at which the carrier received each, the first one first. */
  private async arrivals(): Promise<Map<string, number[]>> {
    const messages = await this.env.messages({ limit: '10000' })
    const byPhone = Map.groupBy(messages, ({ to }) => to)
    return new Map(
      [...byPhone].map(([phone, all]) => [phone, all.map((one) => Date.parse(one.received_at)).sort((a, b) => a - b)]),
    )
  }

  private async storedIds(): Promise<Set<string>> {
    const { rows } = await this.env.admin.query<{ id: string }>('select id::text from dispatch.notifications')
    return new Set(rows.map(({ id }) => id))
  }

  private async ambiguousByPhone(): Promise<Map<string, number>> {
    const { rows } = await this.env.admin.query<{ body: string; count: number }>(
      `select n.id::text as body, count(*)::int as count from dispatch.attempts a
         join dispatch.notifications n on n.id = a.notification_id where a.ambiguous group by n.id`,
    )
    const messages = await this.env.messages({ limit: '10000' })
    const counts = new Map(rows.map(({ body, count }) => [body, count]))
    return new Map(
      messages.map(({ to, request }) => {
        const callback = new URL((request.body as { StatusCallback: string }).StatusCallback)
        return [to, counts.get(callback.searchParams.get('notification_id') ?? '') ?? 0]
      }),
    )
  }

  private refusals(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const status of this.entries.flatMap((entry) => entry.refusals)) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
}
