import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { machineEnvironment, programPath } from '@notify/dev-env'
import { account, postMessage, sender, startSandbox } from './harness.ts'

const main = programPath('packages/carrier-sandbox/src/main.ts')
const complete = { PORT: '0', DNS_PORT: '0', TWILIO_ACCOUNT_SID: account.sid, TWILIO_AUTH_TOKEN: account.authToken }

function run(env: Record<string, string>): ChildProcess {
  return fork(main, {
    env: { ...machineEnvironment(), ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

async function outcomeOf(child: ChildProcess) {
  const [stderr, [code, signal]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
  return { stderr, code, signal }
}

test.each([
  ['TWILIO_ACCOUNT_SID', {}],
  ['TWILIO_ACCOUNT_SID', { TWILIO_AUTH_TOKEN: 'secret-value' }],
  ['TWILIO_ACCOUNT_SID', { TWILIO_ACCOUNT_SID: 'secret-value', TWILIO_AUTH_TOKEN: 'secret-value' }],
  ['TWILIO_AUTH_TOKEN', { TWILIO_ACCOUNT_SID: account.sid, TWILIO_AUTH_TOKEN: '' }],
  ['TWILIO_ACCOUNTS', { TWILIO_ACCOUNTS: `${account.sid}:a,secret-value` }],
  ['PORT', { ...complete, PORT: '65536' }],
  ['DNS_PORT', { ...complete, DNS_PORT: 'secret-value' }],
  ['SES_SECRET_ACCESS_KEY', { ...complete, SES_ACCESS_KEY_ID: 'AKIA0000000000000001' }],
  ['SES_ACCESS_KEY_ID', { ...complete, SES_SECRET_ACCESS_KEY: 'secret-value' }],
  ['SES_ACCOUNTS', { ...complete, SES_ACCOUNTS: 'short:secret-value' }],
  ['SES_EVENTS_URL', { ...complete, SES_EVENTS_URL: 'secret-value' }],
  ['SES_TOPIC_ARN', { ...complete, SES_TOPIC_ARN: 'secret-value' }],
  ['SNS_SIGNATURE_VERSION', { ...complete, SNS_SIGNATURE_VERSION: 'secret-value' }],
  ['CARRIER_DELAY_MS', { ...complete, CARRIER_DELAY_MS: 'secret-value' }],
  ['MESSAGE_LOG_SIZE', { ...complete, MESSAGE_LOG_SIZE: '0' }],
  ['HOST', { ...complete, HOST: '192.0.2.1' }],
])('a wrong %s ends the start with one line that names it, without its value (%j)', async (variable, env) => {
  const { stderr, code } = await outcomeOf(run(env))
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`^carrier-sandbox: ${variable} [^\n]+\n$`))
  expect(stderr).not.toContain('secret-value')
})

test('a port that is taken ends the start with one line that names PORT', async () => {
  const { url } = await startSandbox()
  const { stderr, code } = await outcomeOf(run({ ...complete, PORT: new URL(url).port }))
  expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(/^carrier-sandbox: PORT [^\n]+\n$/), code: 1 })
})

test('a DNS port that is taken ends the start with one line that names DNS_PORT', async () => {
  const { dnsAddress } = await startSandbox()
  const { stderr, code } = await outcomeOf(run({ ...complete, DNS_PORT: dnsAddress.split(':')[1] ?? '' }))
  expect({ stderr, code }).toEqual({ stderr: expect.stringMatching(/^carrier-sandbox: DNS_PORT [^\n]+\n$/), code: 1 })
})

test('the list of accounts may be the only source of accounts', async () => {
  const child = run({ PORT: '0', DNS_PORT: '0', TWILIO_ACCOUNTS: `${account.sid}:with:colon` })
  await once(child.stdout!, 'data')
  child.kill('SIGTERM')
  expect(await outcomeOf(child)).toMatchObject({ code: 0 })
})

test.each([
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
  ['the end of its parent', (child: ChildProcess) => child.disconnect()],
])('%s lets the process end by itself with code 0, a request held open or not', async (_what, stop) => {
  const child = run(complete)
  const [line] = await once(child.stdout!, 'data')
  const url = /http:[^\s,]+/.exec(String(line))?.[0] ?? ''
  const held = postMessage(url, { To: '+15551230005', From: sender, Body: 'Hi' }).catch(() => 'cut off')
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const ending = outcomeOf(child)
  stop(child)
  expect(await ending).toEqual({ stderr: '', code: 0, signal: null })
  expect(await held).toBe('cut off')
})

test('a parent that leaves during the start leaves no process behind', async () => {
  const child = run(complete)
  const ending = outcomeOf(child)
  child.stdout?.resume()
  child.disconnect()
  expect(await ending).toEqual({ stderr: '', code: 0, signal: null })
})
