import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilTemplates } from '@notify/test-kit/whatsapp'

/** The blocks of commands of a document, without those that start the system. */
function blocksOf(document: string): string[] {
  const text = readFileSync(join(import.meta.dirname, '../..', document), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block!)
    .filter((block) => !block.startsWith('npm '))
}
const blocks = blocksOf('README.md')

/** What each block prints, in their order. */
const outputs = [
  /"status":"accepted".*"channel":"sms"/,
  /"items":\[\{.*"status":"/,
  /"status":"accepted".*"channel":"email"/,
  /"status":"active".*"status":"accepted".*"channel":"whatsapp"/,
  /^otp_/,
  /"status":"verified"/,
]

let env: TestEnv
let folder: string
let shell: ChildProcessWithoutNullStreams
let printed = ''

beforeAll(async () => {
  env = await TestEnv.start()
  await untilTemplates(env)
  folder = mkdtempSync(join(tmpdir(), 'notify-readme-'))
  mkdirSync(join(folder, '.local'))
  const state = { api_key: env.apiKey, operator_token: env.operatorToken }
  writeFileSync(join(folder, '.local', 'dev.json'), JSON.stringify(state))
  shell = spawn('sh', { cwd: folder })
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
})
afterAll(async () => {
  shell?.kill()
  if (folder) rmSync(folder, { recursive: true })
  await env?.stop()
})

/** Runs commands in one shell, so that variables persist. @returns their output */
async function paste(commands: string): Promise<string> {
  printed = ''
  const addressed = commands
    .replaceAll('http://127.0.0.1:8080', env.stack.url('gateway'))
    .replaceAll('http://127.0.0.1:8088', env.stack.url('carrier-sandbox'))
  shell.stdin.write(`${addressed}\necho "ended with $?"\n`)
  await eventually(async () => expect(printed).toContain('ended with '))
  return printed
}

/** On a busy machine a service may take longer than its caller waits; what only prints an id prints undefined then. */
const pasteUntilTaken = (commands: string): Promise<string> =>
  eventually(async () => {
    const output = await paste(commands)
    expect(output).not.toMatch(/"status":503|^undefined/)
    return output
  })

test('the commands of the README work as described, pasted one block after the other', async () => {
  expect(blocks).toHaveLength(outputs.length)
  for (const [at, block] of blocks.entries()) {
    const output = await pasteUntilTaken(block)
    expect(output).toMatch(outputs[at]!)
    expect(output).toContain('ended with 0')
    // As long as a person reads on: the activity may be a second late.
    if (output.includes('"status":"accepted"'))
      await eventually(async () => {
        const { rows } = await env.sql('gateway').query('select count(*)::int as count from activity')
        expect(rows[0].count).toBeGreaterThan(0)
      })
    // If the block was repeated, the next one must find the code of its last run.
    if (output.startsWith('otp_'))
      await eventually(async () => {
        const { body } = await env.api('GET', `/api/v1/otp/${/^otp_\w+/.exec(output)![0]}`)
        expect(body.status).toMatch(/^(sent|delivered)$/)
        expect(await env.messages({ to: '+14155550101' })).not.toEqual([])
      })
  }
})

/** What each block of the quick start prints. */
const quickStart = [
  /^/,
  /"status":"accepted".*"channel":"sms"/,
  /"status":"accepted".*"channel":"email"/,
  /"delivery_status":"/,
  /"transaction_id":"otp_/,
]

/** As the console makes them on the page Get started. */
const firstKey = {
  name: 'First key',
  mode: 'test',
  permissions: ['notifications:send', 'notifications:read', 'otp:send', 'otp:verify'],
}
const firstEvent = {
  event_key: 'hello.world',
  name: 'Hello world',
  status: 'published',
  allowed_channels: ['email'],
  templates: { email: { subject: 'Hello {{name}}', body: 'Hello {{name}}, this is your first message.' } },
}

test('the commands of the quick start work in their order, with the key and the event of the first steps', async () => {
  const steps = blocksOf('docs/quick-start.md')
  expect(steps).toHaveLength(quickStart.length)
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await env.api('POST', path, { token: env.operatorToken, body })
    expect(status).toBe(201)
    return answer
  }
  const { application_id } = await made('/api/v1/applications', { name: 'First shop' })
  const { api_key } = await made(`/api/v1/applications/${application_id}/keys`, firstKey)
  await made(`/api/v1/applications/${application_id}/events`, firstEvent)
  let id = ''
  for (const [at, step] of steps.entries()) {
    const output = await pasteUntilTaken(step.replace('sk_test_…', api_key).replace('notif_01jd…', id))
    expect(output).toMatch(quickStart[at]!)
    expect(output).toContain('ended with 0')
    id = /notif_[0-9a-z]{26}/.exec(output)?.[0] ?? id
  }
})
