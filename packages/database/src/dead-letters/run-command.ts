import { parseArgs } from 'node:util'
import { type CommandKit, UsageError } from '@notify/service-kit'
import { z } from 'zod'
import { openDatabase, type Run } from '../open.ts'
import { letterStates } from '../shared-tables.ts'
import { discardLetters, findLetter, type Letter, listLetters, replayLetters } from './letter-list.ts'

const usage = `dead-letters list [--durable <name>] [--state ${letterStates.join('|')}] [--limit 100] (by default all but replayed and discarded)
dead-letters show <id> …
dead-letters replay|discard <id> …
dead-letters replay|discard --durable <name> [--limit 100]`

const changes = { replay: replayLetters, discard: discardLetters }
const Change = z.enum(['replay', 'discard'])

const limit = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(10_000, 'must be at most 10000')
  .default(100)
const id = z.uuid({ error: ({ input }) => `contain ${input}, which is not the id of a dead letter` })
const ids = z.array(id).min(1, 'are missing: name at least one')
const noIds = z.array(z.string()).max(0, 'cannot be combined with these options')

const Request = z.discriminatedUnion(
  'action',
  [
    z.strictObject({
      action: z.literal('list'),
      ids: noIds,
      durable: z.string().optional(),
      state: z.enum(letterStates, `must be one of ${letterStates.join(', ')}`).optional(),
      limit,
    }),
    z.strictObject({ action: z.literal('show'), ids }),
    z.strictObject({ action: Change, ids }),
  ],
  'must be list, show, replay or discard',
)

const ChangeByDurable = z.strictObject({
  action: Change,
  ids: noIds,
  durable: z.string(),
  limit,
})

type Request = z.output<typeof Request> | z.output<typeof ChangeByDurable>

/**
 * `main.ts dead-letters …`: prints one line of JSON per letter. A replay hands the event to the running service, which
 * calls the handler of its durable; a discarded one is kept as a record.
 * @throws UsageError for invalid arguments, an unknown id, or a replay or discard without matching letters
 */
export async function runDeadLetterCommand(
  config: { DATABASE_URL: string },
  kit: CommandKit,
  args: readonly string[],
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
): Promise<void> {
  const request = readRequest(args)
  const { run } = await openDatabase(kit, { config: { ...config, DATABASE_POOL_SIZE: 1 } })
  for (const letter of await answer(run, request)) write(JSON.stringify(letter))
}

async function answer(run: Run, request: Request): Promise<Letter[]> {
  if (request.action === 'list') return listLetters(run, request)
  if (request.action === 'show') return Promise.all(request.ids.map((id) => requireLetter(run, id)))
  const letters =
    'durable' in request
      ? await listLetters(run, { ...request, state: 'dead' })
      : await Promise.all(request.ids.map((id) => requireLetter(run, id)))
  const changed = await changes[request.action](
    run,
    letters.map(({ id }) => id),
  )
  if (changed.length > 0) return changed
  const states = letters.map(({ id, state }) => `${id} is ${state}`).join(', ')
  throw new UsageError(
    `nothing to ${request.action}: ${states || `no letter of ${(request as { durable: string }).durable} is dead`}`,
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
    const byDurable = Change.safeParse(action).success && values.durable !== undefined
    return byDurable ? ChangeByDurable.parse(given) : Request.parse(given)
  } catch (error) {
    throw new UsageError(`${reasonOf(error)}\nuse:\n${usage}`)
  }
}

/** The invalid argument and the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return (error as Error).message
  return error.issues
    .map((issue) =>
      issue.code === 'unrecognized_keys'
        ? `--${issue.keys.join(' and --')} cannot be used here`
        : `${String(issue.path[0] ?? 'the arguments')} ${issue.message}`,
    )
    .join('; ')
}
