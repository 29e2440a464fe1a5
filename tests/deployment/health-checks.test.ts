import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { containers } from './compose-file.ts'
import { instruction } from './dockerfile.ts'

const [check] = instruction('HEALTHCHECK')
const ofImage = JSON.parse(/CMD (\[.*\])$/.exec(check!)![1]!) as string[]
const ofCompose = Object.values(containers).flatMap(({ image, healthcheck }) =>
  image.startsWith('localhost/notify/') && healthcheck?.test ? [healthcheck] : [],
)
const commands = [
  ['an image', '/healthz', ofImage],
  ['compose', '/readyz', ofCompose[0]!.test!.slice(1)],
] as const

let server: Server
let healthyPath: string
beforeAll(async () => {
  server = createServer(({ url }, response) => response.writeHead(url === healthyPath ? 200 : 503).end('{}'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.close()
})

const port = () => String((server.address() as AddressInfo).port)

/** The exit code of a check whose container has these variables. */
async function run([program, ...args]: readonly string[], env: Record<string, string>): Promise<number> {
  expect(program).toBe('node')
  const [code] = await once(spawn(process.execPath, args, { env, stdio: 'ignore' }), 'exit')
  return code
}

test.each(commands)(
  'the health check of %s passes when %s answers 200, and only then',
  async (_name, path, command) => {
    healthyPath = path
    expect(await run(command, { METRICS_PORT: port(), PORT: '1' })).toBe(0)
    expect(await run(command, { PORT: port() })).toBe(0)
    healthyPath = '/elsewhere'
    expect(await run(command, { METRICS_PORT: port() })).toBe(1)
    expect(await run(command, { METRICS_PORT: '1' })).toBe(1)
  },
)

test.each(commands)(
  'the health check of %s needs no shell, and no argument that an engine splits at spaces',
  (...[, , command]) => {
    expect(command.filter((argument) => argument.includes(' '))).toEqual([])
  },
)

test('all containers of compose have the same check, and processes for it are rare once a container is healthy', () => {
  expect(ofCompose.length).toBeGreaterThan(10)
  for (const healthcheck of ofCompose) expect(healthcheck).toEqual(ofCompose[0])
  expect(Number.parseInt(ofCompose[0]!.interval!, 10)).toBeGreaterThanOrEqual(15)
  expect(Number(/--interval=(\d+)s/.exec(check!)![1])).toBeGreaterThanOrEqual(15)
})
