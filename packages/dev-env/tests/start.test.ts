import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually } from '../src/eventually.ts'
import { identityOf } from '../src/infrastructure/process-identity.ts'
import { FakeProject, type Run } from './fake-project.ts'

const running = (pids: number[]) => pids.filter((pid) => identityOf(pid) !== undefined)

describe('one start', () => {
  let project: FakeProject
  let run: Run
  const devFile = () => join(project.dataDir, 'dev.json')
  beforeAll(async () => {
    project = await FakeProject.make()
    run = project.start()
    await run.says('Ctrl-C stops everything')
  })
  afterAll(() => project.remove())

  test('dev.json appears when everything is ready, readable by its owner alone', async () => {
    const { pids, urls, base_url, dns_server } = project.dev()
    expect(Object.keys(pids)).toHaveLength(15)
    expect(running(Object.values(pids))).toHaveLength(15)
    expect(dns_server).toBe(`127.0.0.1:${project.ports.base + 13}`)
    for (const url of Object.values(urls)) expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect(run.output).toContain(`curl -sS ${base_url}/api/v1/notifications`)
    for (const name of ['dev.json', 'state.json', 'bootstrap.json', 'dev.lock']) {
      expect([name, statSync(join(project.dataDir, name)).mode & 0o777]).toEqual([name, 0o600])
    }
  })

  test('a second start names the first, and leaves it alone', async () => {
    const second = project.start()
    expect(await second.ended).toBe(1)
    expect(second.output).toBe(
      `npm start: already running with pid ${run.pid} at http://127.0.0.1:${project.ports.base}: stop that one first, or run this one elsewhere\n`,
    )
    const { pids } = project.dev()
    expect(running(Object.values(pids))).toHaveLength(15)
  })

  test('servers that already run are used in place of own ones', async () => {
    const { postgres_url, nats_url, redis_url } = project.dev() as unknown as Record<string, string>
    const other = await FakeProject.make()
    const second = other.start({
      POSTGRES_URL: postgres_url!.replace(/notify$/, 'postgres'),
      NATS_URL: nats_url!,
      REDIS_URL: redis_url!,
    })
    await second.says('Ctrl-C stops everything')
    expect(other.dev().nats_url).toBe(nats_url)
    expect(other.dev().pids.postgres).toBeUndefined()
    await other.remove()
  })

  test('warnings of a service are shown; one that crashes is started again, and dev.json has its new pid', async () => {
    const before = project.dev()
    await fetch(`${before.urls.otp}/warn`)
    await run.says('otp: warning: something is odd')
    const log = join(project.dataDir, 'logs', 'otp.log')
    await eventually(() => expect(readFileSync(log, 'utf8')).toContain('{"level":40,"msg":"something is odd"}'))
    await fetch(`${before.urls.otp}/crash`).catch(() => {})
    await run.says('otp ended with exit code 7: starting it again in 1 s')
    await run.says('otp is ready again')
    await eventually(() => expect(project.dev().pids.otp).not.toBe(before.pids.otp))
  })

  test('its stop ends everything in order, and leaves nothing running', async () => {
    const { pids } = project.dev()
    run.signal('SIGINT')
    expect(await run.ended).toBe(0)
    expect(run.output).toMatch(
      /stopping gateway(?:.|\n)*stopping callbacks(?:.|\n)*stopping nats, redis(?:.|\n)*stopping postgres/,
    )
    expect(running(Object.values(pids))).toEqual([])
    expect(existsSync(devFile())).toBe(false)
    expect(readdirSync(project.dataDir)).not.toContain('dev.lock')
  })
})

describe('a start of its own', () => {
  let project: FakeProject
  const devFile = () => join(project.dataDir, 'dev.json')
  beforeEach(async () => {
    project = await FakeProject.make()
  })

  afterEach(() => project.remove())

  test('a taken port is one line with the port, its purpose and the way out', async () => {
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(project.ports.base + 11, '127.0.0.1', resolve))
    const run = project.start()
    expect(await run.ended).toBe(1)
    expect(run.output).toBe(
      `npm start: port ${project.ports.base + 11}, wanted for nats, is taken: stop what listens there, or move all ports: PORT_BASE=9080 npm start\n`,
    )
    squatter.close()
  })

  test('after kill -9, the next start ends what is left and finds the data and the keys again; --reset starts over with others', async () => {
    const first = project.start()
    await first.says('Ctrl-C stops everything')
    const before = project.dev()
    const client = new pg.Client({ connectionString: String(before.postgres_url) })
    await client.connect()
    await client.query('create table kept as select 42 as answer')
    await client.end()
    first.killReaper()
    first.signal('SIGKILL')
    await first.ended

    const second = project.start()
    await second.says('Ctrl-C stops everything')
    expect(second.output).toContain('an earlier start was killed: ending what it left behind')
    const after = project.dev()
    expect(running(Object.values(before.pids))).toEqual([])
    expect(after.api_key).toBe(before.api_key)
    const again = new pg.Client({ connectionString: String(after.postgres_url) })
    await again.connect()
    expect((await again.query('select answer from kept')).rows).toEqual([{ answer: 42 }])
    await again.end()

    await second.stop()
    const third = project.start({}, ['--reset'])
    await third.says('Ctrl-C stops everything')
    expect(third.output).toContain('reset: the data of earlier starts is removed')
    expect(project.dev().api_key).not.toBe(after.api_key)
    // Three starts of 14 processes, and two of them make a data folder of Postgres.
  })

  test('after kill -9, everything ends by itself', async () => {
    const run = project.start()
    await run.says('Ctrl-C stops everything')
    const { pids } = project.dev()
    run.signal('SIGKILL')
    await eventually(() => expect(running(Object.values(pids))).toEqual([]))
  })

  test('a service that cannot start is one line with its reason, and nothing is left running', async () => {
    project.breakProcess('consent', 'DATABASE_URL is not set')
    const run = project.start()
    expect(await run.ended).toBe(1)
    const told = run.output.split('\n').filter((line) => line.startsWith('npm start:'))
    expect(told).toHaveLength(1)
    expect(told[0]).toContain(
      'consent ended with exit code 1 before it was ready: cannot start: DATABASE_URL is not set',
    )
    expect(run.output).toContain('stopping postgres')
    expect(existsSync(devFile())).toBe(false)
  })

  test('Ctrl-C during the start stops what has been started', async () => {
    const run = project.start()
    await run.says('starting 12 processes')
    run.signal('SIGINT')
    expect(await run.ended).toBe(0)
    expect(run.output).toContain('everything is stopped')
    expect(run.output).not.toContain('npm start:')
  })

  test.each([
    [{ POSTGRES_URL: 'postgres://admin:x@127.0.0.1:1/postgres' }, 'POSTGRES_URL: 127.0.0.1:1 cannot be reached'],
    [{ NATS_URL: 'nats://127.0.0.1:1' }, 'NATS_URL: 127.0.0.1:1 cannot be reached'],
    [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL: 127.0.0.1:1 cannot be reached'],
    [{ REDIS_URL: '127.0.0.1' }, 'REDIS_URL is not a URL of the form redis://<host>:6379'],
    [{ PORT_BASE: 'eighty' }, 'PORT_BASE is "eighty": it must be a port number, for example PORT_BASE=9080'],
  ])('a server or setting that cannot be used is one line: %j', async (env, message) => {
    const run = project.start(env)
    expect(await run.ended).toBe(1)
    const told = run.output.split('\n').filter((line) => line.startsWith('npm start:'))
    expect(told).toEqual([expect.stringContaining(message)])
    expect(run.output).not.toMatch(/^\s+at /m)
  })
})
