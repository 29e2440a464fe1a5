import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { env } from './stack.ts'

/** The commands of a document, in its order, as one script that ends at the first failure. */
function scriptOf(document: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs', document), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
  return `set -e\n${blocks.join('\necho\n')}`.replaceAll('curl ', "curl --fail-with-body -s -w '\\n' ")
}

async function run(document: string): Promise<string> {
  const own = { URL: env.stack.url('gateway'), KEY: env.apiKey, APP: env.applicationId, TOKEN: env.operatorToken }
  const variables = { ...process.env, ...own }
  return (await promisify(execFile)('bash', ['-c', scriptOf(document)], { env: variables })).stdout
}

test('the commands of docs/recipients.md save a user and send to it', async () => {
  const [saved, sent, scheduled] = (await run('recipients.md')).split('\n').filter((line) => line !== '')
  expect(JSON.parse(saved!)).toMatchObject({ user_id: 'user-42', quiet_hours: { start: '22:00', end: '08:00' } })
  expect(JSON.parse(sent!)).toMatchObject({ status: 'accepted', delivery_status: 'queued' })
  expect(JSON.parse(scheduled!)).toMatchObject({ status: 'accepted', delivery_status: 'scheduled' })
})

test('the commands of docs/broadcasts.md send to a list', async () => {
  const lines = (await run('broadcasts.md')).split('\n').filter((line) => line !== '')
  const broadcast = JSON.parse(lines.at(-1)!)
  expect(broadcast).toMatchObject({ status: 'running', total: 2 })
  await eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/broadcasts/${broadcast.broadcast_id}`)
    expect(body).toMatchObject({ status: 'completed', accepted: 1, refusals: { recipient_unknown: 1 } })
  })
})

test('the commands of docs/preferences.md make a topic, send it, switch it off and explain it', async () => {
  const lines = (await run('preferences.md')).split('\n').filter((line) => line !== '')
  const [topic, sent, offer, chosen, imported, found, explained] = lines.map((line) => JSON.parse(line))
  expect(topic).toMatchObject({ topic_key: 'newsletter', kind: 'on' })
  for (const one of [sent, offer]) expect(one).toMatchObject({ status: 'accepted' })
  expect(chosen.rules).toMatchObject([{ topic: 'newsletter', channel: 'in_app', state: 'off', source: 'api' }])
  expect(imported).toEqual({ changed: 1, unchanged: 0 })
  expect(found.rules).toMatchObject([{ topic: '*', channel: 'email', state: 'off', source: 'import' }])
  expect(explained).toMatchObject({ sends: false })
})

test('the commands of docs/digests.md add three items to a digest, which is open, and choose a frequency', async () => {
  const lines = (await run('digests.md')).split('\n').filter((line) => line !== '')
  const [event, ...rest] = lines.map((line) => JSON.parse(line))
  expect(event.digest).toMatchObject({ key: 'post', show: 2 })
  const [first, second, third, open, chosen] = rest
  for (const one of [first, second, third]) expect(one).toMatchObject({ delivery_status: 'scheduled' })
  expect(open.items).toMatchObject([{ event_key: 'comment.added', items: 3 }])
  const close = `/api/v1/applications/${env.applicationId}/digests/${open.items[0].digest_id}/close`
  expect((await env.api('POST', close, { token: env.operatorToken })).status).toBe(200)
  await eventually(async () => {
    const [message] = await env.messages({ to: '+14155550100' })
    expect(message!.text).toBe('3 comments, of Ada Bob and 1 more')
  })
  expect(chosen.rules).toContainEqual(expect.objectContaining({ topic: '*', channel: '*', frequency: 'daily' }))
})
