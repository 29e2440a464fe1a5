import { type Kit, startPeriodic } from '@notify/service-kit'
import type { ConsumeOptions } from './consume.ts'
import type { ConsumerEntry } from './consumer.ts'
import type { DueLetter } from './dead-letter.ts'
import { type Arrival, handleEvent, kindOf, messageOf, type Result, settleEvent } from './event-handling.ts'
import { readMessage } from './read-event.ts'

const everyMs = 1000

/**
 * Tries again what was put aside: events that could not be read, and dead letters that an operator wants replayed. They
 * come from Postgres, so however many they are, none holds up what is new on the stream.
 */
export function startLetterRetries<Context>(
  kit: Kit,
  options: ConsumeOptions<Context>,
  count: (durable: string, result: Result) => void,
): void {
  const { consumers, deadLetters } = options
  const entries = new Map(consumers.map((entry) => [entry.durable, entry]))
  if (entries.size === 0) return
  startPeriodic(kit, {
    name: 'dead letter retries',
    everyMs,
    async run() {
      const due = await deadLetters.claimDue([...entries.keys()])
      // One after the other: nothing here is urgent, and what is new has its own place.
      for (const letter of due) {
        if (kit.lifecycle.stopping) return false
        count(letter.durable, await retry(kit, entries.get(letter.durable)!, options, letter))
      }
      return due.length > 0
    },
  })
}

async function retry<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  letter: DueLetter,
): Promise<Result> {
  const { deadLetters, context } = options
  const line = { durable: letter.durable, event_id: letter.eventId }
  try {
    if (letter.wholeMessage) await settleMessage(kit, entry, options, letter)
    else await handleEvent(kit, entry, context, arrivalOf(letter, JSON.parse(letter.event), letter.eventId))
    await deadLetters.handled(letter)
    kit.log.info(line, 'a dead letter was handled')
    return 'done'
  } catch (error) {
    const result = await deadLetters.failed(letter, kindOf(error), messageOf(error))
    if (result === 'dead') kit.log.error({ ...line, err: error }, 'an event goes to the dead letters')
    return result
  }
}

/** Each event of a message that can be taken apart now goes its own way. @throws Error when one has to be repeated */
async function settleMessage<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  letter: DueLetter,
): Promise<void> {
  for (const [index, { event, traceparent }] of readMessage(letter.event).entries()) {
    const arrival = arrivalOf({ ...letter, traceparent }, event, `${letter.eventId}:${index}`)
    if ((await settleEvent(kit, entry, options, arrival)) === 'repeat') throw new Error(`event ${index} failed for now`)
  }
}

function arrivalOf(
  { subject, traceparent, retryUntil }: Pick<DueLetter, 'subject' | 'traceparent' | 'retryUntil'>,
  event: unknown,
  eventId: string,
): Arrival {
  return { wire: { event, traceparent }, eventId, subject, redelivered: true, retryUntil }
}
