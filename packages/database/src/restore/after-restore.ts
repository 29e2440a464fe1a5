import { parseArgs } from 'node:util'
import { type CommandKit, UsageError } from '@notify/service-kit'
import { z } from 'zod'
import { openDatabase, type Queries } from '../open.ts'

/** Selects the rows of a restored database whose messages would be sent again, except those that the operator releases. */
export interface Restored {
  /** The time until which the lost database may have sent messages. */
  sent_until: string
  created_before: string | null
  tenant: string | null
  lane: string | null
  channel: string | null
}

/** Rows of one kind whose messages would be sent again. */
export interface RestoredRows {
  /** The name in the output. */
  name: string
  /** Counts the rows, grouped by the criteria of an operator's decision. */
  count(db: Queries, restored: Restored): Promise<readonly object[]>
  /** Settles rows, in transactions of a batch each. @returns how many; 0 once none is left */
  settle(db: Queries, restored: Restored): Promise<number>
}

interface Options {
  rows: readonly RestoredRows[]
  /** Filters that the rows have besides tenant and age. */
  filters?: readonly ('lane' | 'channel')[]
}

const Time = z.iso.datetime({
  offset: true,
  error: '--sent-until and --created-before take a time such as 2026-11-22T03:00:00Z',
})

/**
 * `main.ts after-restore`: counts the messages that a restored backup would send again; with `--settle`, ends them. After an
 * interruption, run it again: a row is settled once, and stays released once an operator has released it.
 */
export function afterRestoreCommand({ rows, filters = [] }: Options) {
  return async (
    config: { DATABASE_URL: string },
    kit: CommandKit,
    args: readonly string[],
    print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  ): Promise<void> => {
    const { settle, ...restored } = readOptions(args, filters)
    const db = await openDatabase(kit, { config: { ...config, DATABASE_POOL_SIZE: 1 } })
    for (const one of rows) {
      const found = await one.count(db, restored)
      for (const group of found) print(JSON.stringify({ found: one.name, ...group }))
      if (found.length === 0) print(JSON.stringify({ found: one.name, count: 0 }))
    }
    if (!settle) return
    for (const one of rows) {
      const settled = await settleAll(db, one, restored)
      kit.log.info({ ...restored, settled }, `after-restore settled ${one.name}`)
      print(JSON.stringify({ settled: one.name, count: settled }))
    }
  }
}

async function settleAll(db: Queries, rows: RestoredRows, restored: Restored): Promise<number> {
  let total = 0
  for (;;) {
    const count = await rows.settle(db, restored)
    if (count === 0) return total
    total += count
  }
}

function readOptions(args: readonly string[], filters: readonly string[]): Restored & { settle: boolean } {
  const usage = `use: after-restore --sent-until <time> [--created-before <time>] [--tenant <id>]${filters.map((name) => ` [--${name} <${name}>]`).join('')} [--settle]`
  const text = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'sent-until': text,
        'created-before': text,
        tenant: text,
        settle: { type: 'boolean', default: false },
        ...Object.fromEntries(filters.map((name) => [name, text])),
      },
    })
    const given = values as Record<string, string | boolean | undefined>
    const textOf = (name: string) => (given[name] as string | undefined) ?? null
    return {
      sent_until: Time.parse(given['sent-until']),
      created_before: Time.nullable().parse(textOf('created-before')),
      tenant: textOf('tenant'),
      lane: textOf('lane'),
      channel: textOf('channel'),
      settle: given.settle === true,
    }
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? error.issues.map(({ message }) => message).join('; ') : (error as Error).message
    throw new UsageError(`${reason}\n${usage}`)
  }
}
