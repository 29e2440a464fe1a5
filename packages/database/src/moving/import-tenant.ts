import { createInterface } from 'node:readline'
import { schemaOf } from '@notify/contracts'
import type { CommandKit } from '@notify/service-kit'
import type { Client } from 'pg'
import { openMigrationConnection } from '../migrations/connection.ts'
import { requireKeysOf } from '../reindex/key-record.ts'
import type { MovingConfig, MovingTables, Print } from './export-tenant.ts'
import { type Arrival, readImportArguments, requireTransportKey } from './move-arguments.ts'
import { readShape } from './tenant-tables.ts'
import { type Checks, checksOf, createTransport, type Part } from './transport.ts'
import { createTableWriter, openPresent, type TableCount, type TableWriter } from './write-rows.ts'

interface ImportOptions extends MovingTables {
  /** Refuses to overwrite a tenant that is served here. */
  requireArriving?(client: Client, tenantId: string): Promise<void>
  /** After the rows, in the same transaction. */
  arrive?(client: Client, tenantId: string, arrival: Arrival): Promise<void>
}

/**
 * `main.ts import-tenant`: makes the tenant's rows of this service those of an export, in one transaction, and counts by table.
 * It may be repeated with a newer export until the tenant is served here.
 */
export function importTenantCommand({ tables, encrypted = [], requireArriving, arrive }: ImportOptions) {
  return async (
    config: MovingConfig,
    kit: CommandKit,
    args: readonly string[],
    { lines, print = (line) => void process.stdout.write(`${line}\n`) }: Ends = {},
  ): Promise<void> => {
    const { tenantId, dryRun, ...arrival } = readImportArguments(args)
    const transport = createTransport(requireTransportKey(config.TRANSPORT_KEY), { service: kit.service, tenantId })
    const schema = schemaOf(kit.service)
    const client = await openMigrationConnection({ url: config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL, schema })
    const counts: Record<string, TableCount> = {}
    let current: { table: string; writer: TableWriter } | undefined
    let hasBegun = false
    let ended = false
    const finish = async () => {
      if (current) counts[current.table] = await current.writer.finish()
      current = undefined
    }
    const takers: { [K in Part['part']]: (part: Extract<Part, { part: K }>) => Promise<void> } = {
      async begin({ applications, checks }) {
        requireSameKeys(checks, checksOf(config, tenantId))
        await requireKeysOf(client, config.BLIND_INDEX_KEY)
        await requireArriving?.(client, tenantId)
        for (const moved of tables.moved) await openPresent(client, moved, [tenantId, applications])
        hasBegun = true
      },
      async table({ table, columns }) {
        await finish()
        const moved = tables.moved.find((one) => one.table === table)
        if (!moved || !hasBegun) throw new Error(`this release moves no table ${table}`)
        const shape = await readShape(client, table)
        const ofTable = encrypted.filter((one) => one.table === table)
        const writing = { shape, encrypted: ofTable, keyRing: config.ENCRYPTION_KEYS, columns }
        current = { table, writer: createTableWriter(client, moved, writing) }
      },
      rows: async ({ rows }) => current?.writer.write(rows),
      async end({ counts: exported }) {
        await finish()
        requireSameCounts(exported, counts)
        ended = true
      },
    }
    try {
      await client.query("set idle_in_transaction_session_timeout = '10min'")
      await client.query('begin')
      // Created directly before the loop, because earlier lines would be lost.
      for await (const line of lines ?? createInterface(process.stdin)) {
        if (line === '' || line.startsWith('{')) continue
        const part = transport.open(line)
        await takers[part.part](part as never)
      }
      if (!ended) throw new Error('the export is not whole: its last line is missing')
      await arrive?.(client, tenantId, arrival)
      await client.query(dryRun ? 'rollback' : 'commit')
      print(JSON.stringify({ service: kit.service, tenant_id: tenantId, dry_run: dryRun, counts }))
    } finally {
      // The end of the connection rolls an open transaction back.
      await client.end().catch(() => {})
    }
  }
}

/** Where the command reads and writes, for tests. */
interface Ends {
  lines?: AsyncIterable<string>
  print?: Print
}

/** Rows contain HMACs of recipients and fingerprints of bodies, which match only under the same keys. */
function requireSameKeys(exported: Checks, own: Checks): void {
  for (const [name, value] of Object.entries(exported)) {
    const isSame = own[name as keyof Checks] === value
    if (!isSame) throw new Error(`${name} of the two cells must be the same, or nothing would be found by it here`)
  }
}

function requireSameCounts(exported: Record<string, number>, counts: Record<string, TableCount>): void {
  for (const [table, rows] of Object.entries(exported)) {
    if (counts[table]?.rows !== rows)
      throw new Error(`${table}: ${rows} rows were exported, ${counts[table]?.rows ?? 0} arrived`)
  }
}
