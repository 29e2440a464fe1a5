import { setTimeout as delay } from 'node:timers/promises'
import { keysFingerprint } from '@notify/privacy'
import { type Logger, Problem } from '@notify/service-kit'
import type { Queries, Run } from '../queries.ts'
import { type IndexedRow, type Renewal, renewRow } from './renew-row.ts'
import {
  countPages,
  type IndexedTable,
  lockProgress,
  type RenewalStatements,
  renewalStatements,
  saveProgress,
} from './renewal-statements.ts'

/** Pages of a table that one transaction renews; fewer if a row may have kilobytes outside of its page. */
const pagesAtOnce = ({ documents, sealed }: IndexedTable) => (documents || sealed ? 8 : 128)
/** Delays before a transaction is repeated, with fewer pages, after a timeout or a lost connection. */
const repeatAfterMs = [200, 500, 1000, 2000, 5000]
/** Progress is logged at most this often. */
const logEveryMs = 10_000

interface Renewed {
  renewed: number
  deleted: number
}

/**
 * Renews the indexes of the tables in this order, page by page. Each transaction records its position, where a repetition
 * continues. The index of a row shows whether it was renewed, so a row that moved to a later page is not changed again.
 */
export async function renewIndexes(
  db: Queries,
  tables: readonly IndexedTable[],
  renewal: Renewal,
  log: Logger,
): Promise<void> {
  for (const table of tables) {
    const statements = renewalStatements(table)
    const total: Renewed = { renewed: 0, deleted: 0 }
    let loggedMs = Date.now()
    for (;;) {
      const step = await patiently(pagesAtOnce(table), (pages) =>
        db.transaction((run) => renewPages(run, { table, statements, pages }, renewal)),
      )
      if (!step) break
      total.renewed += step.renewed
      total.deleted += step.deleted
      if (Date.now() - loggedMs < logEveryMs) continue
      loggedMs = Date.now()
      log.info({ table: table.table, page: step.reached, pages: step.pages, ...total }, 'renewing blind indexes')
    }
    log.info({ table: table.table, ...total }, 'blind indexes renewed')
  }
}

/** Repeats a transaction, which begins where the last committed one has ended. */
async function patiently<T>(pagesAtFirst: number, renew: (pages: number) => Promise<T>): Promise<T> {
  let pages = pagesAtFirst
  for (const waitMs of repeatAfterMs) {
    try {
      return await renew(pages)
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'service_unavailable')) throw error
    }
    await delay(waitMs)
    pages = Math.ceil(pages / 4)
  }
  return renew(pages)
}

interface Step {
  table: IndexedTable
  statements: RenewalStatements
  /** How many at most. */
  pages: number
}

/** @returns undefined at the end of the table */
async function renewPages(
  run: Run,
  { table, statements, pages: most }: Step,
  renewal: Renewal,
): Promise<(Renewed & { reached: number; pages: number }) | undefined> {
  const name = table.table
  const [progress] = await run(lockProgress, [keysFingerprint(renewal.keys)])
  if (!progress) throw new Error('another run of the command has ended, or began with another list of keys')
  const from = progress.reached[name] ?? 0
  const [{ pages }] = (await run(countPages, [name])) as [{ pages: number }]
  if (from >= pages) return undefined
  const reached = Math.min(from + most, pages)
  const rows: IndexedRow[] = await run(statements.readPages, [`(${from},0)`, `(${reached},0)`])
  const found = rows.flatMap((row) => renewRow(renewal, table, row) ?? [])
  const unowned = found.flatMap((row) => ('isUnowned' in row ? [row.at] : []))
  const fresh = found.flatMap((row) => ('isUnowned' in row ? [] : [row]))
  if (unowned.length > 0) await run(statements.deleteRows, [unowned])
  if (fresh.length > 0) {
    const columns = fresh[0]!.texts.map((_, at) => fresh.map(({ texts }) => texts[at]))
    const sealed = table.sealed ? [fresh.map((row) => row.sealed)] : []
    const done = await run(statements.replaceTexts, [fresh.map(({ at }) => at), ...columns, ...sealed])
    if (done.length < fresh.length) throw new Error(`rows of ${name} change meanwhile: stop the servers first`)
  }
  await run(saveProgress, [name, reached])
  return { renewed: fresh.length, deleted: unowned.length, reached, pages }
}
