import { parseArgs } from 'node:util'
import { createBlindIndex } from '@notify/privacy'
import { type CommandKit, UsageError } from '@notify/service-kit'
import { openDatabase, type Queries } from '../open.ts'

/** Whose data is erased. */
export interface Person {
  tenantId: string
  /** Phone number, email address or user id. */
  recipient: string
  /** The recipient's blind index. */
  index: string
  /** Whether stops are forgotten too. */
  forgetStops: boolean
}

/** What is erased of a person in one place. */
export interface Erasure {
  /** The name in the output. */
  name: string
  count(db: Queries, person: Person): Promise<number>
  /** Erases a batch, which commits alone. @returns how many rows; 0 once none is left */
  erase(db: Queries, person: Person): Promise<number>
}

/** Takes the place of an erased text. */
export const erasedText = 'erased'

const usage =
  'use: erase-recipient --tenant <id> --recipient <phone number, email address or user id> [--forget-stops] [--erase]'

/**
 * `main.ts erase-recipient`: counts what the service holds of one person; with `--erase`, erases it. Interrupted, it is
 * repeated. Neither the output nor the log contains the recipient.
 * @param erasuresOf may use the keys of the configuration
 */
export function eraseRecipientCommand<Config extends { DATABASE_URL: string; BLIND_INDEX_KEY: Buffer }>(
  erasuresOf: (config: Config) => readonly Erasure[],
) {
  return async (
    config: Config,
    kit: CommandKit,
    args: readonly string[],
    print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  ): Promise<void> => {
    const { erase, ...named } = readArguments(args)
    const person = { ...named, index: createBlindIndex(config.BLIND_INDEX_KEY)(named.tenantId, named.recipient) }
    const db = await openDatabase(kit, { config: { DATABASE_URL: config.DATABASE_URL, DATABASE_POOL_SIZE: 1 } })
    const left: string[] = []
    for (const one of erasuresOf(config)) {
      const erased = erase ? await eraseAll(db, one, person) : 0
      const count = await one.count(db, person)
      print(JSON.stringify({ rows: one.name, ...(erase ? { erased, left: count } : { count }) }))
      if (erase) kit.log.info({ tenant_id: person.tenantId, rows: one.name, erased, left: count }, 'erase-recipient')
      if (erase && count > 0) left.push(`${count} ${one.name}`)
    }
    if (left.length > 0) throw new Error(`in use at the moment: ${left.join(', ')}; run the command again`)
  }
}

async function eraseAll(db: Queries, erasure: Erasure, person: Person): Promise<number> {
  let total = 0
  for (;;) {
    const count = await erasure.erase(db, person)
    if (count === 0) return total
    total += count
  }
}

function readArguments(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean', default: false } as const
    const { values } = parseArgs({
      args: [...args],
      options: { tenant: text, recipient: text, erase: flag, 'forget-stops': flag },
    })
    const { tenant: tenantId, recipient, erase, 'forget-stops': forgetStops } = values
    if (!tenantId || !recipient) throw new Error('--tenant and --recipient are needed')
    return { tenantId, recipient, erase, forgetStops }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}
