import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { failureReason } from '../failure-reason.ts'
import { isTemporary, type StartKit, waitMs } from '../temporary-error.ts'
import { applyMigration } from './apply.ts'
import { type MigrationTarget, openMigrationConnection, tryMigrationLock } from './connection.ts'
import type { Migration, Migrations } from './migration.ts'

interface MigrateOptions {
  /** MIGRATION_DATABASE_URL must not use a pooler in transaction mode, which would share the session lock. */
  config: { DATABASE_URL: string; MIGRATION_DATABASE_URL?: string | undefined }
  schema: string
  migrations: Migrations
  /** Attempts without progress before giving up; 40 by default, about three minutes of lock waits. */
  attempts?: number
}

const lockPollMs = 200
/** Waiting for another process is logged at once, and then every 50 polls. */
const loggedEveryPolls = 50

/**
 * Runs pending migrations on its own connection, one process at a time. Steps that time out on a lock or lose the
 * connection are retried with growing delays. Steps of a newer release are left unchanged.
 * @throws Error naming the failed step; earlier steps stay applied
 */
export async function migrate(
  kit: StartKit,
  { config, schema, migrations, attempts = 40 }: MigrateOptions,
): Promise<void> {
  const target = { url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL, schema }
  const progress: Progress = { failures: 0, step: undefined }
  for (;;) {
    try {
      return await migrateOnce(kit, target, migrations, progress)
    } catch (error) {
      progress.failures++
      const reason = failureReason(error as Error)
      if (!isTemporary(error) || progress.failures >= attempts || kit.lifecycle.stopping) {
        const what = progress.step ? `migration ${progress.step} of schema ${schema} failed` : `schema ${schema}`
        throw new Error(`${what}: ${reason}`, { cause: error })
      }
      const againMs = waitMs(progress.failures)
      const line = { schema, migration: progress.step, failures: progress.failures, reason, again_ms: againMs }
      kit.log.warn(line, 'migration failed; retrying')
      await delay(againMs)
    }
  }
}

interface Progress {
  /** Since the last completed step or page of a step. */
  failures: number
  /** The step started last. */
  step: string | undefined
}

async function migrateOnce(
  kit: StartKit,
  target: MigrationTarget,
  migrations: Migrations,
  progress: Progress,
): Promise<void> {
  const { schema } = target
  const client = await openMigrationConnection(target)
  try {
    const { newer, pending } = compare(migrations, await readApplied(client))
    if (newer.length > 0) kit.log.warn({ schema, newer }, `schema is newer than this release: ${newer.join(', ')}`)
    if (pending.length === 0) {
      if (newer.length === 0) kit.log.info({ schema }, 'schema is up to date')
      return
    }
    await takeLock(kit, client, schema)
    await client.query(
      `create table if not exists schema_migrations (
         name text primary key, applied_at timestamptz not null default clock_timestamp())`,
    )
    for (const migration of compare(migrations, await readApplied(client)).pending) {
      progress.step = migration.name
      const started = performance.now()
      const advance = () => {
        progress.failures = 0
      }
      await applyMigration(client, migration, advance)
      advance()
      const ms = Math.round(performance.now() - started)
      kit.log.info({ schema, migration: migration.name, ms }, 'schema migrated')
    }
  } finally {
    // Releases the lock.
    await client.end().catch(() => {})
  }
}

async function readApplied(client: Client): Promise<string[]> {
  const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as known`)
  if (!rows[0].known) return []
  const applied = await client.query('select name from schema_migrations order by name')
  return applied.rows.map(({ name }) => name)
}

/** Steps of a newer release, and pending steps. */
function compare(migrations: Migrations, applied: readonly string[]): { newer: string[]; pending: Migration[] } {
  const own = new Set(migrations.map(({ name }) => name))
  return {
    newer: applied.filter((name) => !own.has(name)),
    pending: migrations.filter(({ name }) => !applied.includes(name)),
  }
}

async function takeLock({ log, lifecycle }: StartKit, client: Client, schema: string): Promise<void> {
  for (let polls = 0; !(await tryMigrationLock(client, schema)); polls++) {
    if (lifecycle.stopping) throw new Error('stopped while another process migrates')
    if (polls % loggedEveryPolls === 0) log.info({ schema }, 'waiting for another process to finish migrating')
    await delay(lockPollMs * (0.5 + Math.random()))
  }
}
