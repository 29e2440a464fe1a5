import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { schemaOf } from '@notify/contracts'
import type { IndexKeys, KeyRing } from '@notify/privacy'
import { type CommandKit, UsageError } from '@notify/service-kit'
import type { Client } from 'pg'
import { openMigrationConnection } from '../migrations/connection.ts'
import { requireKeysOf } from '../reindex/key-record.ts'
import type { EncryptedColumn } from '../rotation-statements.ts'
import { readExportArguments, requireTransportKey } from './move-arguments.ts'
import { readRows } from './read-rows.ts'
import { readShape, type TenantTables } from './tenant-tables.ts'
import { checksOf, createTransport, type Part } from './transport.ts'

/** The variables that moving a tenant reads. */
export interface MovingConfig {
  DATABASE_URL: string
  MIGRATION_DATABASE_URL?: string | undefined
  TRANSPORT_KEY?: string | undefined
  CELL?: string | undefined
  CELLS?: ReadonlyMap<string, string>
  ENCRYPTION_KEYS?: KeyRing | undefined
  BLIND_INDEX_KEY?: IndexKeys | undefined
  FINGERPRINT_KEY?: Buffer | undefined
}

export interface MovingTables {
  tables: TenantTables
  encrypted?: readonly EncryptedColumn[]
}

interface ExportOptions extends MovingTables {
  /** Ids of the tenant's applications, where the service knows them. */
  readApplications?(client: Client, tenantId: string): Promise<string[]>
  /** Refuses what would go on in this cell without what changes in the other one. @throws Error saying what to do first */
  requireIdle?(client: Client, tenantId: string): Promise<void>
  /** Ends the tenant's time in this cell. */
  leave?(client: Client, tenantId: string, to: string): Promise<void>
  /** Counts what this cell will still deliver to where the tenant's users no longer look. Printed with the counts. */
  countStaying?(client: Client, tenantId: string): Promise<Record<string, number>>
  /** Ends the work that requests have begun here, once those admitted before the tenant left have been answered. */
  endWork?(client: Client, tenantId: string): Promise<void>
}

/** Callers are cached for one second; after another one most requests admitted before have been answered. */
const settleMs = 2000

export type Print = (line: string) => Promise<void> | void

/**
 * `main.ts export-tenant`: writes the tenant's rows of this service, encrypted under TRANSPORT_KEY, and counts by table. With
 * `--to`, first hands the tenant over to that cell.
 */
export function exportTenantCommand({
  tables,
  encrypted = [],
  readApplications,
  requireIdle,
  countStaying,
  leave,
  endWork,
}: ExportOptions) {
  return async (
    config: MovingConfig,
    kit: CommandKit,
    args: readonly string[],
    { print = printLine, tell = (line) => void process.stderr.write(`${line}\n`) }: ExportEnds = {},
  ): Promise<void> => {
    const { tenantId, to, dryRun, ...named } = readExportArguments(args)
    if (to !== undefined && to === config.CELL) throw new UsageError(`--to ${to}: this is the cell ${to}`)
    if (to !== undefined && config.CELLS && !config.CELLS.has(to)) throw new UsageError(`--to ${to}: not in CELLS`)
    // The key is checked before the tenant leaves.
    const transport = dryRun
      ? undefined
      : createTransport(requireTransportKey(config.TRANSPORT_KEY), { service: kit.service, tenantId })
    const schema = schemaOf(kit.service)
    const client = await openMigrationConnection({ url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL, schema })
    try {
      await requireKeysOf(client, config.BLIND_INDEX_KEY)
      if (!dryRun) await requireIdle?.(client, tenantId)
      if (to !== undefined && leave && !dryRun) {
        await leave(client, tenantId, to)
        kit.log.warn({ tenant_id: tenantId, to }, 'the tenant is served by another cell from now on')
        await delay(settleMs)
        await endWork?.(client, tenantId)
      }
      const applications = (await readApplications?.(client, tenantId)) ?? named.applications
      const counts: Record<string, number> = {}
      const write = async (part: Part) => {
        if (transport) await print(transport.seal(part))
      }
      await client.query("set idle_in_transaction_session_timeout = '10min'")
      // Before the snapshot: what is recorded between it and the part `begin`, which the import waits for, would be lost.
      const staying = await countStaying?.(client, tenantId)
      await client.query('begin isolation level repeatable read read only')
      await write({ part: 'begin', service: kit.service, applications, checks: checksOf(config, tenantId) })
      for (const moved of tables.moved) {
        const { table } = moved
        const shape = await readShape(client, table)
        await write({ part: 'table', table, columns: shape.columns })
        counts[table] = 0
        const reading = {
          shape,
          encrypted: encrypted.filter((one) => one.table === table),
          keyRing: config.ENCRYPTION_KEYS,
        }
        for await (const rows of readRows(client, moved, [tenantId, applications], reading)) {
          counts[table] += rows.length
          await write({ part: 'rows', rows })
        }
      }
      await client.query('commit')
      await write({ part: 'end', counts })
      const told = JSON.stringify({ service: kit.service, tenant_id: tenantId, applications, counts, staying })
      await (dryRun ? print : tell)(told)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** The outputs of the command: the export or, in a dry run, the counts; and the counts beside an export. */
interface ExportEnds {
  print?: Print
  tell?: Print
}

/** Waits for a slow reader, so that the export is not kept in memory. */
async function printLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}
