import { setTimeout as delay } from 'node:timers/promises'
import { schemaOf } from '@notify/contracts'
import { createIndexRenewal, type IndexKeys, type KeyRing } from '@notify/privacy'
import { type Command, type CommandKit, ConfigError, UsageError } from '@notify/service-kit'
import { type DatabaseConfig, openDatabase } from '../open.ts'
import type { Queries, Run } from '../queries.ts'
import { beginRenewal, countSessions, finishRenewal, needsRenewal } from './key-record.ts'
import { renewIndexes } from './renew-indexes.ts'
import type { IndexedTable } from './renewal-statements.ts'

type ReindexConfig = DatabaseConfig & { BLIND_INDEX_KEY?: IndexKeys | undefined; ENCRYPTION_KEYS?: KeyRing | undefined }

interface ReindexOptions {
  /** @throws Error naming the work that must end first */
  requireIdle?(run: Run): Promise<void>
}

/** Events that name recipients are in these tables of every service. */
const eventTables: readonly IndexedTable[] = [
  { table: 'outbox', documents: { events: 'text' }, tenant: 'null::text' },
  { table: 'dead_letters', documents: { event: 'text' }, tenant: 'null::text' },
]

/** Longer than a pool keeps an idle session, so that the sessions of processes waiting for this command end first. */
const sessionPolls = 75
const sessionPollMs = 1000

/**
 * `main.ts reindex`: applies the keys that were added to BLIND_INDEX_KEY to every index of the schema, while the service is stopped.
 * After an interruption, run it again.
 */
export function reindexCommand(
  tables: readonly IndexedTable[],
  { requireIdle }: ReindexOptions = {},
): Command<ReindexConfig> {
  return async (config, kit, args) => {
    if (args.length > 0) throw new UsageError(`reindex takes no arguments; got ${args.join(' ')}`)
    const { BLIND_INDEX_KEY: keys, ENCRYPTION_KEYS: keyRing } = config
    if (!keys) throw new ConfigError('BLIND_INDEX_KEY is needed by reindex')
    const db = await openDatabase(kit, { config: { ...config, DATABASE_POOL_SIZE: 1 } })
    if (!(await needsRenewal(db, keys))) return kit.log.info('every blind index is under all keys of BLIND_INDEX_KEY')
    await untilStopped(kit, db)
    await db.transaction(async (run) => {
      await requireIdle?.(run)
      await beginRenewal(run, keys)
    })
    await renewIndexes(db, [...tables, ...eventTables], { keys, renew: createIndexRenewal(keys), keyRing }, kit.log)
    await finishRenewal(db, keys)
    kit.log.info('the blind indexes are now under all keys of BLIND_INDEX_KEY')
  }
}

/** @throws Error when processes of the service are running */
async function untilStopped({ service, log, lifecycle }: CommandKit, db: Queries): Promise<void> {
  for (let polls = 0; ; polls++) {
    const sessions = await countSessions(db, schemaOf(service))
    if (sessions === 0) return
    if (polls === sessionPolls || lifecycle.stopping)
      throw new Error(
        `${sessions} sessions of ${service} are open in Postgres: stop its servers, then run the command again`,
      )
    if (polls === 0) log.info({ sessions }, 'waiting for the sessions of the servers to end')
    await delay(sessionPollMs)
  }
}
