import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { isId } from '@notify/contracts'
import { connectBus, readNatsLogin } from '@notify/messaging'
import { createBlindIndex, type IndexKeys, type KeyRing, olderKeys, spellingsOf } from '@notify/privacy'
import { type CommandKit, Health, UsageError } from '@notify/service-kit'
import { type DatabaseConfig, openDatabase, type Queries } from '../open.ts'
import { requireSameKeys } from '../reindex/key-record.ts'
import { eventCopies } from './event-copies.ts'
import type { Erasure, Person } from './person.ts'
import { storedResponses } from './stored-responses.ts'
import { streamCopies } from './stream-copies.ts'

/** The configuration variables that the command reads. */
export type ErasureConfig = Parameters<typeof readNatsLogin>[0] &
  Omit<DatabaseConfig, 'DATABASE_POOL_SIZE'> & {
    /** Without it, nothing is searched by blind index. */
    BLIND_INDEX_KEY?: IndexKeys | undefined
    /** Without it, sealed events are not opened. */
    ENCRYPTION_KEYS?: KeyRing | undefined
  }

const usage =
  'use: erase-recipient --tenant <id> [--recipient <phone number, email address or user id>] [--forget-stops]\n' +
  '  [--erase [--all-identifiers]]\n' +
  'Without --recipient it is read from standard input.'

/** The other identifiers of a person, masked: only they lead to what other services have. */
export type OthersOf<Config> = (config: Config, db: Queries, person: Person) => Promise<string[]>

/**
 * `main.ts erase-recipient`: counts the rows and messages of one person in the service, under each spelling of a number; with
 * `--erase`, erases them. After an interruption, run it again. Neither the output nor the log contains the recipient.
 * @param erasuresOf the service's own tables; outbox, dead letters, responses and stream are added
 * @param othersOf for a service whose erasure removes what links the identifiers of a person. Then nothing is erased unless
 *   `--all-identifiers` states that the command is run for each of them.
 */
export function eraseRecipientCommand<Config extends ErasureConfig>(
  erasuresOf: (config: Config) => readonly Erasure[],
  othersOf: OthersOf<Config> = async () => [],
) {
  return async (
    config: Config,
    kit: CommandKit,
    args: readonly string[],
    print: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  ): Promise<void> => {
    const { erase, allIdentifiers, ...named } = await readArguments(args)
    const { BLIND_INDEX_KEY: indexKeys, ENCRYPTION_KEYS: keyRing } = config
    const db = await openDatabase(kit, { config: { ...config, DATABASE_POOL_SIZE: 1 } })
    if (indexKeys) await requireSameKeys(db, indexKeys)
    const bus = await connectBus(
      { ...kit, health: new Health() },
      { login: readNatsLogin(config), requiredForReady: false },
    )
    const left: string[] = []
    const unreadable: string[] = []
    const persons = spellingsOf(named.recipient).map((recipient): Person & { indexUnder(keys: IndexKeys): string } => {
      const indexUnder = (keys: IndexKeys) => createBlindIndex(keys)(named.tenantId, recipient)
      return { ...named, recipient, index: indexKeys && indexUnder(indexKeys), indexUnder }
    })
    const others = (await Promise.all(persons.map((person) => othersOf(config, db, person)))).flat()
    if (others.length > 0) print(JSON.stringify({ rows: 'other identifiers', masked: others }))
    if (erase && others.length > 0 && !allIdentifiers) throw new Error(linkIsLost)
    for (const [at, person] of persons.entries()) {
      // The stream comes last, because it then contains the messages that a relay was publishing.
      const copies = [...eventCopies(keyRing), storedResponses(keyRing), streamCopies(kit, bus, keyRing)]
      // The stream contains older indexes until its messages expire.
      for (const keys of indexKeys ? olderKeys(indexKeys) : [])
        copies.push(underIndex(streamCopies(kit, bus, keyRing), person.indexUnder(keys)))
      for (const one of [...erasuresOf(config), ...copies]) {
        const rows = at === 0 ? one.name : `${one.name}, other spelling`
        const erased = erase ? await eraseAll(db, one, person) : 0
        const count = await one.count(db, person)
        const skipped = one.unreadable?.() ?? 0
        const more = skipped > 0 ? { unreadable: skipped } : {}
        print(JSON.stringify({ rows, ...(erase ? { erased, left: count } : { count }), ...more }))
        if (erase) kit.log.info({ tenant_id: person.tenantId, rows, erased, left: count, ...more }, 'erase-recipient')
        if (erase && count > 0) left.push(`${count} ${rows}`)
        if (erase && skipped > 0) unreadable.push(`${skipped} ${rows}`)
      }
    }
    const faults = [
      ...(left.length > 0 ? [`in use at the moment: ${left.join(', ')}; run the command again`] : []),
      ...(unreadable.length > 0 ? [`skipped because they cannot be decrypted: ${unreadable.join(', ')}`] : []),
    ]
    if (faults.length > 0) throw new Error(faults.join('; '))
  }
}

const linkIsLost =
  'nothing is erased: the person has the other identifiers above, which are known by the rows that would be erased. ' +
  'Note them, then run the command for each of them in all services, with --all-identifiers'

/** The same erasure by another index. */
function underIndex({ name, count, erase }: Erasure, index: string): Erasure {
  return {
    name: `${name}, older index`,
    count: (db, person) => count(db, { ...person, index }),
    erase: (db, person) => erase(db, { ...person, index }),
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

/** Arguments of `kubectl exec` and of Jobs are logged or stored by the cluster; standard input is not. */
async function readLine(): Promise<string> {
  for await (const line of createInterface(process.stdin)) return line.trim()
  return ''
}

async function readArguments(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean', default: false } as const
    const { values } = parseArgs({
      args: [...args],
      options: { tenant: text, recipient: text, erase: flag, 'all-identifiers': flag, 'forget-stops': flag },
    })
    const { tenant: tenantId, erase, 'all-identifiers': allIdentifiers, 'forget-stops': forgetStops } = values
    if (!tenantId || !isId('ten', tenantId))
      throw new Error('--tenant takes the id of a tenant, which begins with ten_')
    const recipient = values.recipient ?? (await readLine())
    if (!recipient) throw new Error('the recipient is missing')
    return { tenantId, recipient, erase, allIdentifiers, forgetStops }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}
