/** An event that was removed from its stream without being handled. */
export interface DeadLetter {
  durable: string
  /** In whose turn it is retried: see `ownerOf`. */
  owner: string
  /** Id of the event, or of the whole message. */
  eventId: string
  subject: string
  /** JSON of the payload, or the text of the whole message. */
  event: string
  traceparent?: string | null | undefined
  /** Whether the message could not be split into events. */
  wholeMessage?: boolean
  reason: string
  /** Deadline of retries; absent when retries are pointless. */
  retryUntil?: Date
}

/** A letter that is due for a retry. */
export interface DueLetter extends DeadLetter {
  id: string
  retryUntil: Date
}

/** Result of a failed retry; `unreadable` and `failed` may succeed later. */
export type FailedTry = 'permanent' | 'unreadable' | 'failed'

/** The dead letters of a service. */
export interface DeadLetterStore {
  /** Stores a letter, once. The event is terminated only after this returns. */
  keep(letter: DeadLetter): Promise<void>
  /** Milliseconds until a letter is due; infinite if none is waiting. */
  dueInMs(durables: readonly string[]): Promise<number>
  /** Claims letters that are due; a claim expires after a minute. */
  claimDue(durables: readonly string[]): Promise<DueLetter[]>
  /** The event was handled. */
  handled(letter: DueLetter): Promise<void>
  /** The event was not handled; returns whether it will be retried. */
  failed(letter: DueLetter, kind: FailedTry, reason: string): Promise<'waiting' | 'dead'>
  /** Deletes a batch of letters whose retention has ended; returns whether there may be more. */
  deleteSettled(): Promise<boolean>
}
