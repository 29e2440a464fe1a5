import { sql } from 'kysely'
import type { RowOf } from '../columns.ts'
import type { Run } from '../open.ts'
import { build, type sharedTables } from '../shared-tables.ts'

const shown = ['id', 'durable', 'event_id', 'subject', 'state', 'reason', 'tries', 'created_at', 'updated_at'] as const

/** A dead letter as shown to operators; lists omit the event. */
export type Letter = RowOf<Pick<typeof sharedTables.dead_letters, (typeof shown)[number]>> & { event?: string }

export interface LetterFilter {
  durable?: string | undefined
  /** Default: all except replayed and discarded ones. */
  state?: Letter['state'] | undefined
  limit: number
}

/** The newest matching letters. */
export function listLetters(run: Run, { durable, state, limit }: LetterFilter): Promise<Letter[]> {
  let letters = build.selectFrom('dead_letters').select(shown).orderBy('id', 'desc').limit(limit)
  letters = state ? letters.where('state', '=', state) : letters.where('state', 'not in', ['replayed', 'discarded'])
  return run(durable === undefined ? letters : letters.where('durable', '=', durable))
}

export async function findLetter(run: Run, id: string): Promise<Letter | undefined> {
  const [letter] = await run(build.selectFrom('dead_letters').select(shown).select('event').where('id', '=', id))
  return letter
}

/** Returns dead letters to their durables' handlers, and makes waiting ones due now. */
export function replayLetters(run: Run, ids: readonly string[]): Promise<Letter[]> {
  const state = sql<Letter['state']>`case state when 'dead' then 'replaying' else state end`
  return run(unsettled(ids).set({ state, tries: 0, next_try_at: now, updated_at: now }).returning(shown))
}

/** Ends letters that need no handling. A replay in progress ends by itself. */
export function discardLetters(run: Run, ids: readonly string[]): Promise<Letter[]> {
  return run(unsettled(ids).set({ state: 'discarded', next_try_at: null, updated_at: now }).returning(shown))
}

const now = sql<Date>`now()`

const unsettled = (ids: readonly string[]) =>
  build
    .updateTable('dead_letters')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('state', 'in', ['dead', 'waiting'])
