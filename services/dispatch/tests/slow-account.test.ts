import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { SendQueues } from '../src/deliver/queues/send-queues.ts'
import { makeSlots } from '../src/deliver/throttle/make-slots.ts'
import { createThrottle } from '../src/deliver/throttle/throttle.ts'
import { db } from './own-schema.ts'

const answerMs = 150

/** Sends `count` messages of each of some applications by one account. @returns when each was sent, by a clock of its own */
async function sendAll(applications: readonly string[], count: number, perSecond: number, forMs: number) {
  const providerId = newId('prov')
  await makeSlots(db, [providerId])
  const waits: number[] = []
  const throttle = createThrottle(db, 'urgent', async (ms) => waits.push(ms))
  const queues = new SendQueues(100)
  const waiting = new Map(applications.map((name) => [name, count]))
  const sentMs = new Map<string, number[]>(applications.map((name) => [name, []]))
  let answers: { atMs: number; application: string }[] = []
  let nowMs = 0
  const queueOf = (application_id: string) => queues.of({ tenant_id: 'ten', application_id, mode: 'live' })
  for (const name of applications) queueOf(name).wake()

  const sendPicked = async () => {
    for (const pick of queues.choose({ nowMs, tokens: 100, credit: 25 })) {
      const { queue, most } = pick
      const { application_id: application } = queue.key
      const claimed = Math.min(most, waiting.get(application)!)
      queues.claimed(pick, claimed)
      const turns = await Promise.all(Array.from({ length: claimed }, () => throttle.turn(providerId, perSecond)))
      const later = turns.filter((againInMs) => againInMs > 0)
      waiting.set(application, waiting.get(application)! - claimed + later.length)
      for (const againInMs of later) {
        queue.sleep(nowMs, againInMs, queue.inHand - 1, new Date())
        queues.release(queue)
      }
      const begun = turns.length - later.length
      const startsInMs = [...Array.from({ length: begun - waits.length }, () => 0), ...waits.splice(0)]
      for (const startInMs of startsInMs) {
        sentMs.get(application)!.push(nowMs + startInMs)
        answers.push({ atMs: nowMs + startInMs + answerMs, application })
      }
    }
  }

  /** Lets time pass, for Postgres by moving the clocks of the account. */
  const pass = async (ms: number) => {
    nowMs += ms
    await db.run(
      'update send_slots set shared_ms = shared_ms - $2, kept_ms = kept_ms - $2, urgent_until_ms = urgent_until_ms - $2 where provider_id = $1',
      [providerId, ms],
    )
    for (const { application } of answers.filter(({ atMs }) => atMs <= nowMs)) {
      queueOf(application).widen(nowMs)
      queues.release(queueOf(application))
    }
    answers = answers.filter(({ atMs }) => atMs > nowMs)
  }

  for (;;) {
    await sendPicked()
    const nextMs = Math.min(queues.nextWakeMs(nowMs), ...answers.map(({ atMs }) => atMs))
    if (nextMs > forMs) return [...sentMs.values()]
    await pass(nextMs - nowMs)
  }
}

test('a burst of codes leaves at the rate of its account, however slow that is', async () => {
  const [sent = []] = await sendAll(['app'], 20, 1, 22_000)
  expect(sent.length).toBeGreaterThanOrEqual(18)
  expect(sent.filter((ms) => ms <= 10_000).length).toBeGreaterThanOrEqual(8)
})

test('applications that share a slow account both send', async () => {
  const [first = [], second = []] = await sendAll(['app 1', 'app 2'], 40, 2, 20_000)
  expect(first.length + second.length).toBeGreaterThanOrEqual(34)
  expect(Math.min(first.length, second.length)).toBeGreaterThanOrEqual(5)
})
