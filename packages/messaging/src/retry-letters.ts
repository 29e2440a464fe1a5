import { type Kit, startPeriodic, withLogFields } from '@notify/service-kit'
import type { ConsumeOptions } from './consume-options.ts'
import type { ConsumerEntry } from './consumer.ts'
import type { DueLetter } from './dead-letter.ts'
import {
  type Arrival,
  handleEvent,
  kindOf,
  logFieldsOf,
  messageOf,
  type Result,
  settleEvent,
} from './event-handling.ts'
import { readMessage } from './read-event.ts'
import { Slots } from './slots.ts'

/**
 * Interval of the search for due letters. Only replays by operators wait for it, because the first retry of a letter is due
 * later.
 */
const usualEveryMs = 10_000
const atLeastMs = 1000
/** Letters retried at a time, their owners in turns: retries are not urgent, and a slow one delays no other owner. */
const concurrency = 4
const retentionEveryMs = 60_000

/**
 * Retries waiting dead letters and those that an operator replays, and deletes settled ones after their retention. Letters
 * are in Postgres, so they never delay new messages of the stream.
 */
export function startLetterRetries<Context>(
  kit: Kit,
  options: ConsumeOptions<Context>,
  count: (durable: string, result: Result) => void,
): void {
  const { consumers, deadLetters, lettersEveryMs: everyMs = usualEveryMs } = options
  const entries = new Map(consumers.map((entry) => [entry.durable, entry]))
  if (entries.size === 0) return
  const slots = new Slots(concurrency, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  startPeriodic(kit, {
    name: 'dead letter retention',
    everyMs: retentionEveryMs,
    run: () => deadLetters.deleteSettled(),
  })
  startPeriodic(kit, {
    name: 'dead letter retries',
    everyMs,
    atLeastMs: Math.min(atLeastMs, everyMs),
    async run() {
      const durables = [...entries.keys()]
      const dueInMs = await deadLetters.dueInMs(durables)
      if (dueInMs > 0) return dueInMs
      const due = await deadLetters.claimDue(durables)
      const retried = await Promise.allSettled(
        due.map((letter) =>
          slots.run(letter.owner, 0, async () => {
            if (kit.lifecycle.stopping) return
            count(letter.durable, await retry(kit, entries.get(letter.durable)!, options, letter))
          }),
        ),
      )
      const fault = retried.find(({ status }) => status === 'rejected')
      if (fault) throw (fault as PromiseRejectedResult).reason
      return due.length > 0 && !kit.lifecycle.stopping
    },
  })
}

function retry<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  letter: DueLetter,
): Promise<Result> {
  // A whole message has no event fields until it is parsed.
  const event = letter.wholeMessage ? undefined : (JSON.parse(letter.event) as unknown)
  const arrival = arrivalOf(letter, event, letter.eventId)
  return withLogFields(logFieldsOf(entry, arrival), () => retryOnce(kit, entry, options, letter, arrival))
}

async function retryOnce<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  letter: DueLetter,
  arrival: Arrival,
): Promise<Result> {
  const { deadLetters, context } = options
  try {
    if (letter.wholeMessage) await settleMessage(kit, entry, options, letter)
    else await handleEvent(kit, entry, context, arrival)
    await deadLetters.handled(letter)
    kit.log.info('dead letter handled')
    return 'done'
  } catch (error) {
    const result = await deadLetters.failed(letter, kindOf(error), messageOf(error))
    if (result === 'dead') kit.log.error({ err: error }, 'event moved to the dead letters')
    return result
  }
}

/** Settles each event of a message that can now be parsed. @throws Error when one must be repeated */
async function settleMessage<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  letter: DueLetter,
): Promise<void> {
  for (const [index, { event, traceparent, erased }] of readMessage(letter.event).entries()) {
    if (erased) continue
    const arrival = arrivalOf({ ...letter, traceparent }, event, `${letter.eventId}:${index}`)
    if ((await settleEvent(kit, entry, options, arrival)) === 'repeat') throw new Error(`event ${index} failed for now`)
  }
}

function arrivalOf(
  { subject, traceparent, retryUntil }: Pick<DueLetter, 'subject' | 'traceparent' | 'retryUntil'>,
  event: unknown,
  eventId: string,
): Arrival {
  return { wire: { event, traceparent }, eventId, subject, redelivered: true, retryUntil, leavesStream: true }
}
