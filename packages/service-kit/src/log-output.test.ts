import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'

const logger = JSON.stringify(new URL('./logger.ts', import.meta.url).href)
let child: ChildProcess | undefined

afterEach(() => {
  // With those that a shell has started.
  if (child?.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
})

/** Runs code with a logger in a process of its own. */
function start(code: string, ...command: string[]) {
  const source = `
    import { createLogger } from ${logger}
    const { log, flush } = createLogger('dispatch', 'info')
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    ${code}`
  const [file, ...args] = [...command, process.execPath, '--input-type=module', '--eval', source]
  const started = spawn(file!, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  child = started
  return { ...started, ended: once(started, 'exit'), said: read(started.stderr) }
}

/** Lines that are there or were reported as dropped. */
function accountedIn(text: string): number {
  const reports = [...text.matchAll(/"lines":(\d+)[^\n]*log lines were dropped/g)].map(([, lines]) => Number(lines))
  return text.split('\n').length - 1 - reports.length + reports.reduce((sum, lines) => sum + lines, 0)
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition() && waited < 60_000; waited += 50) await delay(50)
  expect(condition()).toBe(true)
}

async function read(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk
  return text
}

test('a process whose log reader has gone works on, and ends', async () => {
  const { stdout, stderr, stdin, ended, said } = start(`
    process.stderr.write('.\\n')
    process.stdin.once('data', () => { log.info('last'); flush(); log.info('after the last'); process.exit(0) })
    for (let i = 0; ; i++) { log.info({ i }, 'line'); if (i % 100 === 0) await sleep(1) }`)
  await once(stderr, 'data')
  stdout.destroy()
  await delay(500)
  expect(child!.exitCode).toBe(null)
  stdin.write('end')
  expect(await ended).toEqual([0, null])
  expect(await said).toBe('.\n')
})

test.each([
  ['a socket', []],
  ['a pipe, where a write of nothing succeeds', ['sh', '-c', '"$0" "$@" | true']],
])('a process that learns at its end that its log reader has gone ends: %s', async (_what, command) => {
  const { stdout, stderr, stdin, ended } = start(
    `process.stderr.write('.')
     process.stdin.once('data', () => { log.info('last'); flush(); log.info('after the last'); process.exit(0) })`,
    ...command,
  )
  await once(stderr, 'data')
  stdout.destroy()
  stdin.write('end')
  expect(await ended).toEqual([0, null])
})

test('a process whose log reader does not read works on, and keeps its memory', async () => {
  const { stderr } = start(`
    const line = 'x'.repeat(1000)
    const began = process.memoryUsage.rss()
    for (let i = 0; i < 300_000; i++) { log.info(line); if (i % 1000 === 0) await sleep(0) }
    process.stderr.write(String(Math.round((process.memoryUsage.rss() - began) / 2 ** 20)))`)
  const [grownMib] = await once(stderr, 'data')
  // 300 MiB were logged.
  expect(Number(grownMib)).toBeLessThan(150)
})

test('a reader that comes back gets whole lines in order, and the number of dropped lines', async () => {
  const { stdout, stderr, ended } = start(`
    for (let i = 0; i < 40_000; i++) { log.info({ i }, 'x'.repeat(1000)); if (i % 1000 === 0) await sleep(0) }
    process.stderr.write('.')
    process.stdin.once('data', () => { log.info('seen again'); flush(); process.exit(0) })`)
  await once(stderr, 'data')
  let text = ''
  stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  // Nothing is being written any more when the process ends.
  await until(() => accountedIn(text) === 40_000)
  child!.stdin!.write('go')
  await ended
  await until(() => stdout.readableEnded)
  const said = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const numbers = said.filter(({ i }) => i !== undefined).map(({ i }) => i)
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers.length).toBeLessThan(20_000)
  // The pipe may have room once before the last line is dropped: then two lines report the dropped ones.
  const dropped = said.filter(({ msg }) => msg.startsWith('log lines were dropped'))
  expect(dropped.reduce((sum, { lines: some }) => sum + some, 0)).toBe(40_000 - numbers.length)
  expect(said.at(-1)).toMatchObject({ msg: 'seen again' })
})

test('a process whose log is on a full disk works on, and ends', async () => {
  const { stderr, stdin, ended, said } = start(
    `process.stderr.write('.')
     process.stdin.once('data', () => { log.info('last'); flush(); process.stderr.write('.'); process.exit(0) })
     for (let i = 0; ; i++) { log.info({ i }, 'line'); if (i % 100 === 0) await sleep(1) }`,
    'sh',
    '-c',
    'exec "$0" "$@" >/dev/full',
  )
  await once(stderr, 'data')
  await delay(300)
  expect(child!.exitCode).toBe(null)
  stdin.write('end')
  expect(await ended).toEqual([0, null])
  expect(await said).toBe('..')
})

test('when a full log has room again, whole lines follow, and the number of dropped ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notify-log-'))
  const file = join(folder, 'log')
  // Blocks of 512 bytes: a soft limit of the file's size stands for the size of the disk.
  const { stderr, stdin, ended } = start(
    `const fill = async (n) => { for (let i = 0; i < n; i++) { log.info({ i }, 'x'.repeat(1000)); if (i % 1000 === 0) await sleep(0) } }
     await fill(20_000)
     process.stderr.write('.')
     process.stdin.once('data', () => {
       log.info('room again')
       process.stdin.once('data', () => { log.info('end'); flush(); process.exit(0) })
     })`,
    'sh',
    '-c',
    `ulimit -S -f 64; exec "$0" "$@" >${file}`,
  )
  await once(stderr, 'data')
  await until(() => statSync(file).size === 64 * 512)
  spawnSync('prlimit', ['--pid', String(child!.pid), '--fsize=unlimited:'])
  stdin.write('go')
  await until(() => accountedIn(readFileSync(file, 'utf8')) === 20_001)
  stdin.write('end')
  expect(await ended).toEqual([0, null])
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  rmSync(folder, { recursive: true })
  const said = lines.map((line) => JSON.parse(line))
  const numbers = said.filter(({ i }) => i !== undefined).map(({ i }) => i)
  expect(numbers).toEqual(Array.from(numbers, (_, place) => place))
  const dropped = said.filter(({ msg }) => msg.startsWith('log lines were dropped'))
  // The line that made it try again may itself find no room.
  const written = numbers.length + said.filter(({ msg }) => msg === 'room again').length
  expect(dropped.reduce((sum, { lines: some }) => sum + some, 0)).toBe(20_001 - written)
  expect(said.at(-1)).toMatchObject({ msg: 'end' })
})

test('a flush lets a write whose thread is busy finish first: the lines stay in order', async () => {
  const numbers = Array.from({ length: 500 }, (_, i) => i)
  let written: number[] = []
  // Tried again: a machine may stand still for as long as a flush waits.
  for (let tries = 0; tries < 5 && String(written) !== String(numbers); tries++) {
    const { stdout, stderr, stdin, ended } = start(
      `import { read, writeSync } from 'node:fs'
       // The only thread that writes waits for the parent.
       read(0, Buffer.alloc(1), () => {})
       for (let i = 0; i < 500; i++) log.info({ i }, 'line')
       writeSync(2, '.')
       flush()
       process.exit(0)`,
      'env',
      'UV_THREADPOOL_SIZE=1',
    )
    const text = read(stdout)
    await once(stderr, 'data')
    await delay(20)
    stdin.write('.')
    await ended
    written = (await text)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).i)
  }
  expect(written).toEqual(numbers)
})

test('lines logged after the last flush are written when the process ends', async () => {
  const { stdout, ended } = start(`log.info('first'); flush(); log.info('second'); process.exit(0)`)
  const text = read(stdout)
  await ended
  expect(
    (await text)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['first', 'second'])
})
