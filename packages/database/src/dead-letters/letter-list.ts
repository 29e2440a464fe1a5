import type { Run } from '../open.ts'

export const letterStates = ['waiting', 'dead', 'replaying', 'replayed', 'discarded'] as const

/** A dead letter as shown to operators; lists omit the event. */
export interface Letter {
  id: string
  durable: string
  event_id: string
  subject: string
  state: (typeof letterStates)[number]
  reason: string
  tries: number
  created_at: Date
  updated_at: Date
  event?: string
}

export interface LetterFilter {
  durable?: string | undefined
  /** By default all but replayed and discarded ones. */
  state?: string | undefined
  limit: number
}

const columns = 'id, durable, event_id, subject, state, reason, tries, created_at, updated_at'

/** The newest matching letters. */
export function listLetters(run: Run, { durable, state, limit }: LetterFilter): Promise<Letter[]> {
  return run<Letter>(
    `select ${columns} from dead_letters
     where case when $1::text is null then state not in ('replayed', 'discarded') else state = $1 end
       and ($2::text is null or durable = $2)
     order by id desc limit $3`,
    [state ?? null, durable ?? null, limit],
  )
}

export async function findLetter(run: Run, id: string): Promise<Letter | undefined> {
  const [letter] = await run<Letter>(`select ${columns}, event from dead_letters where id = $1`, [id])
  return letter
}

/** Returns dead letters to their durables' handlers, and makes waiting ones due now. */
export function replayLetters(run: Run, ids: readonly string[]): Promise<Letter[]> {
  return run<Letter>(
    `update dead_letters
     set state = case state when 'dead' then 'replaying' else state end, tries = 0, next_try_at = now(), updated_at = now()
     where id = any($1::uuid[]) and state in ('dead', 'waiting') returning ${columns}`,
    [ids],
  )
}

/** Ends letters that need no handling. What is being replayed ends by itself. */
export function discardLetters(run: Run, ids: readonly string[]): Promise<Letter[]> {
  return run<Letter>(
    `update dead_letters set state = 'discarded', next_try_at = null, updated_at = now()
     where id = any($1::uuid[]) and state in ('dead', 'waiting') returning ${columns}`,
    [ids],
  )
}
