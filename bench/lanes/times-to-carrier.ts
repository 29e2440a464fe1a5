import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import { readCarrierLog } from '../carrier-log.ts'
import type { Accepted } from '../sms-client.ts'

/** Sampling interval, independent of responses. */
const everyMs = 100

/** Sends messages at an interval; returns the times from 202 to the carrier, in milliseconds. */
export async function measureTimes(
  stack: Stack,
  to: string,
  goOn: (count: number) => boolean,
  post: () => Promise<Accepted>,
  look: () => Promise<void> = async () => {},
): Promise<number[]> {
  const samples: Promise<Accepted>[] = []
  const startMs = performance.now()
  while (goOn(samples.length)) {
    samples.push(post())
    if (samples.length % 10 === 0) await look()
    await delay(Math.max(startMs + samples.length * everyMs - performance.now(), 0))
  }
  return timesToCarrier(stack, to, await Promise.all(samples))
}

async function timesToCarrier(stack: Stack, to: string, accepted: readonly Accepted[]): Promise<number[]> {
  const deadlineMs = performance.now() + 60_000
  for (;;) {
    const received = new Map(
      (await readCarrierLog(stack, to)).map(({ notificationId, atMs }) => [notificationId, atMs]),
    )
    const missing = accepted.filter(({ id }) => !received.has(id))
    // The sandbox's clock has millisecond resolution, so the difference may be negative.
    if (missing.length === 0) return accepted.map(({ id, atMs }) => Math.max((received.get(id) ?? 0) - atMs, 0))
    if (performance.now() > deadlineMs) throw new Error(`${missing.length} messages never reached the carrier`)
    await delay(250)
  }
}
