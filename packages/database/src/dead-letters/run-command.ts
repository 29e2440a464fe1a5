import { parseArgs } from 'node:util'
import { schemaOf } from '@notify/contracts'
import { type CommandKit, UsageError } from '@notify/service-kit'
import { z } from 'zod'
import { openDatabase, type Run } from '../open.ts'
import { findLetter, type Letter, letterStates, listLetters, replayLetters } from './letter-list.ts'

const usage = `dead-letters list [--durable <name>] [--state ${letterStates.join('|')}] [--limit 100]
dead-letters show <id> …
dead-letters replay <id> …
dead-letters replay --durable <name> [--limit 100]`

const Request = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('list'),
    ids: z.array(z.string()).max(0),
    durable: z.string().optional(),
    state: z.enum(letterStates).default('dead'),
    limit: z.coerce.number().int().min(1).max(10_000).default(100),
  }),
  z.strictObject({ action: z.literal('show'), ids: z.array(z.uuid()).min(1) }),
  z.strictObject({ action: z.literal('replay'), ids: z.array(z.uuid()).min(1) }),
])

const ReplayByDurable = z.strictObject({
  action: z.literal('replay'),
  ids: z.array(z.string()).max(0),
  durable: z.string(),
  limit: z.coerce.number().int().min(1).max(10_000).default(100),
})

type Request = z.output<typeof Request> | z.output<typeof ReplayByDurable>

/**
 * `main.ts dead-letters …`: one line of JSON for each letter. A replay gives the event to the running service, which hands
 * it to the handler of its durable.
 * @throws UsageError for arguments that say nothing, or an id that no letter has
 */
export async function runDeadLetterCommand(
  config: { DATABASE_URL: string },
  kit: CommandKit,
  args: readonly string[],
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const request = readRequest(args)
  const { run } = await openDatabase(kit, { url: config.DATABASE_URL, poolSize: 1, schema: schemaOf(kit.service) })
  for (const letter of await answer(run, request)) write(JSON.stringify(letter))
}

async function answer(run: Run, request: Request): Promise<Letter[]> {
  if (request.action === 'list') return listLetters(run, request)
  if (request.action === 'show') return Promise.all(request.ids.map((id) => requireLetter(run, id)))
  if (!('durable' in request)) {
    await Promise.all(request.ids.map((id) => requireLetter(run, id)))
    return replayLetters(run, request.ids)
  }
  const letters = await listLetters(run, { ...request, state: 'dead' })
  return replayLetters(
    run,
    letters.map(({ id }) => id),
  )
}

async function requireLetter(run: Run, id: string): Promise<Letter> {
  const letter = await findLetter(run, id)
  if (!letter) throw new UsageError(`there is no dead letter ${id}`)
  return letter
}

function readRequest(args: readonly string[]): Request {
  try {
    const option = { type: 'string' } as const
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { durable: option, state: option, limit: option },
    })
    const [action, ...ids] = positionals
    const given = { action, ids, ...values }
    return action === 'replay' && values.durable !== undefined ? ReplayByDurable.parse(given) : Request.parse(given)
  } catch {
    throw new UsageError(`use:\n${usage}`)
  }
}
