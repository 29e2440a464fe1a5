import { setTimeout as delay } from 'node:timers/promises'
import type { Send } from '../channels.ts'

export interface Sent {
  number: number
  /** When it was due: a late client counts as latency. */
  plannedMs: number
  acceptedMs: number
}

const nowMs = () => performance.timeOrigin + performance.now()

/** Sends messages at even intervals, independent of answers. */
export async function sendSteadily(send: Send, first: number, perSecond: number, seconds: number): Promise<Sent[]> {
  const startMs = nowMs()
  const sent: Promise<Sent>[] = []
  for (let at = 0; at < perSecond * seconds; at++) {
    const plannedMs = startMs + (at * 1000) / perSecond
    const waitMs = plannedMs - nowMs()
    if (waitMs > 0) await delay(waitMs)
    const number = first + at
    sent.push(send(number).then(({ atMs }) => ({ number, plannedMs, acceptedMs: atMs })))
  }
  return Promise.all(sent)
}
