import type { ConsumerEntry } from './consumer.ts'
import type { DeadLetterStore } from './dead-letter.ts'

export interface ConsumeOptions<Context> {
  context: Context
  consumers: readonly ConsumerEntry<Context>[]
  /** Stores events that cannot be handled. */
  deadLetters: DeadLetterStore
  /** NATS may lose messages of this age when its server is killed, in milliseconds; five minutes by default. */
  unsyncedMs?: number
  /** Age from which a message that keeps failing leaves its stream for the dead letters, in milliseconds; one hour by default. */
  failingMs?: number
  /** Interval of the search for letters that an operator replays, in milliseconds; 10 s by default. */
  lettersEveryMs?: number
}
