import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { type ServiceProcess, type Stack, TestEnv } from '@notify/dev-env'
import { pipeCommand } from '@notify/test-kit/processes'

const services = ['gateway', 'dispatch', 'callbacks', 'consent', 'inbox-stream', 'webhook-delivery'] as const
/** For the commands of a move. */
export const transport = { TRANSPORT_KEY: randomBytes(32).toString('base64') }
/** Two cells find the same rows only under the same keys. */
export const keys = {
  BLIND_INDEX_KEY: randomBytes(32).toString('base64'),
  FINGERPRINT_KEY: randomBytes(32).toString('base64'),
}

export type Cell = 'a' | 'b'
export let cells: Record<Cell, TestEnv>
export const variables: Record<Cell, Record<string, string>> = { a: { CELL: 'a', ...keys }, b: { CELL: 'b', ...keys } }

beforeAll(async () => {
  const known = Promise.withResolvers<void>()
  const stacks = new Map<Cell, Stack>()
  const start = (cell: Cell) => {
    // The same objects until the processes start, when the ports of both cells are known.
    const env = Object.fromEntries(
      ['gateway', 'dispatch-api', 'dispatch-worker', 'callbacks', 'consent', 'inbox-stream', 'webhook-delivery'].map(
        (name) => [name, { ...variables[cell] }],
      ),
    )
    return TestEnv.start(services, {
      env,
      async onStack(stack) {
        stacks.set(cell, stack)
        if (stacks.size === 2) known.resolve()
        await known.promise
        const portOf = (one: Cell) => stacks.get(one)!.ports.process
        const CELLS = (['a', 'b'] as const).map((one) => `${one}=http://127.0.0.1:${portOf(one).gateway}`).join(',')
        const sandbox = `http://127.0.0.1:${portOf('a')['carrier-sandbox']}`
        // Both call the same carrier and the same receiver of webhooks.
        const outside = {
          TWILIO_API_URL: `${sandbox}/twilio`,
          WEBHOOK_EGRESS_ALLOW: `127.0.0.1:${stacks.get('a')!.ports.receiver}`,
        }
        for (const one of Object.values(env)) Object.assign(one, { CELLS, ...outside })
        Object.assign(variables[cell], { CELLS })
      },
    })
  }
  // If one cannot start, the other does not wait for it.
  const [a, b] = await Promise.all((['a', 'b'] as const).map((cell) => start(cell).finally(known.resolve)))
  cells = { a: a!, b: b! }
})
afterAll(async () => {
  await Promise.all(Object.values(cells ?? {}).map((env) => env.stop()))
})

/** Runs a command of a service in a pod of a cell. @throws Error when it fails */
export async function command(cell: Cell, process: ServiceProcess, args: string[], input = '') {
  const made = await pipeCommand(cells[cell], process, args, { input, variables: { ...variables[cell], ...transport } })
  if (made.status !== 0) throw new Error(`${process} ${args.join(' ')}: ${made.errors}${made.output.slice(0, 2000)}`)
  return made
}
