import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { describeError } from './logger.ts'

const phone = '+15551230001'
const token = 'sk_live_secret'

/** An error as HTTP clients throw it, with request and configuration attached. */
const clientError = () =>
  Object.assign(new Error('Request failed with status code 400'), {
    code: 'ERR_BAD_REQUEST',
    config: { url: `https://api.twilio.com/Messages?To=${phone}`, headers: { authorization: token }, data: phone },
    request: { _header: `Authorization: ${token}` },
    response: { status: 400, data: { to: phone }, config: { auth: token } },
  })

/** Runs code with a logger in a separate process. @returns its standard output */
async function output(code: string, level = 'info'): Promise<string> {
  const source = `
    import { createLogger } from ${JSON.stringify(new URL('./logger.ts', import.meta.url).href)}
    const phone = ${JSON.stringify(phone)}, token = ${JSON.stringify(token)}
    const clientError = ${clientError.toString()}
    const { log, flush } = createLogger('dispatch', ${JSON.stringify(level)})
    ${code}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source])
  return stdout
}

test.each([
  ['as err', 'log.error({ err: clientError() }, "failed")'],
  ['alone', 'log.error(clientError())'],
  ['as the cause of ours', 'log.error({ err: new Error("ours", { cause: clientError() }) }, "failed")'],
  ['from a child logger', 'log.child({ request_id: "r" }).error({ err: clientError() }, "failed")'],
])('an error of an HTTP client that is logged %s leaks neither phone number nor token', async (_how, code) => {
  const text = await output(`${code}; flush()`)
  expect(text).toContain('Request failed with status code 400')
  expect(text).toContain('ERR_BAD_REQUEST')
  expect(text).not.toContain(phone)
  expect(text).not.toContain(token)
})

test('a line is JSON with service, time and severity', async () => {
  const line = JSON.parse(await output('log.warn({ attempt: 2 }, "again"); flush()'))
  expect(line).toMatchObject({ service: 'dispatch', severity: 'warn', level: 40, attempt: 2, msg: 'again' })
  expect(new Date(line.time).toISOString()).toBe(line.time)
})

test('flushed lines are written before the process ends', async () => {
  const text = await output('for (let i = 0; i < 500; i++) log.info({ i }, "line"); flush(); process.exit(0)')
  const numbers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).i)
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, i) => i))
})

test('a logger keeps no process alive', async () => {
  expect(await output('log.info("last"); flush()')).toContain('last')
})

test('lines below the level are not written', async () => {
  expect(await output('log.info("quiet"); log.error("loud"); flush()', 'error')).toMatch(/^(?!.*quiet).*loud.*\n$/)
})

test('an error is described by type, message, code, cause and stack, and nothing else', () => {
  const described = describeError(new Error('outer', { cause: clientError() }))
  expect(described).toMatchObject({ type: 'Error', message: 'outer', cause: { code: 'ERR_BAD_REQUEST' } })
  expect(Object.keys(described.cause as object).sort()).toEqual(['code', 'message', 'stack', 'type'])
})

test('causes that go round in a circle, and things that are no errors, are described too', () => {
  const circle = new Error('round')
  circle.cause = circle
  expect(JSON.stringify(describeError(circle))).toContain('round')
  for (const thrown of ['text', 7, undefined, null, { no: 'message' }]) {
    expect(describeError(thrown)).toEqual({ message: String(thrown) })
  }
})
