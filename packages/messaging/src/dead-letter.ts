/** An event that was taken off its stream without having been handled. */
export interface DeadLetter {
  durable: string
  /** The event's own identity; of a whole message, the message's. */
  eventId: string
  subject: string
  /** JSON of the payload; of a whole message, its text. */
  event: string
  traceparent?: string | null | undefined
  /** Whether the message could not even be taken apart into events. */
  wholeMessage?: boolean
  reason: string
  /** Until then it is tried again; absent when no repetition helps. */
  retryUntil?: Date
}

/** One that is to be tried again now. */
export interface DueLetter extends DeadLetter {
  id: string
  retryUntil: Date
}

/** What became of a try; `unreadable` and `failed` may be different the next time. */
export type FailedTry = 'permanent' | 'unreadable' | 'failed'

/** Where a service keeps its dead letters. */
export interface DeadLetterStore {
  /** Keeps a letter, once; the event is given up only after this returned. */
  keep(letter: DeadLetter): Promise<void>
  /** Takes letters that are to be tried again now; whoever took them and died loses them after a minute. */
  claimDue(durables: readonly string[]): Promise<DueLetter[]>
  /** The event was handled. */
  handled(letter: DueLetter): Promise<void>
  /** The event was not handled; the answer tells whether it will be tried again. */
  failed(letter: DueLetter, kind: FailedTry, reason: string): Promise<'waiting' | 'dead'>
}
