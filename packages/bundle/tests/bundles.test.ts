import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { send, untilState } from '@notify/test-kit/sms'
import { serviceNames } from '../../contracts/src/index.ts'
import { TestEnv } from '../../dev-env/src/index.ts'
import { serviceOf, serviceProcesses } from '../../dev-env/src/stack/process-names.ts'
import { bundleService } from '../src/bundle-service.ts'

const root = join(import.meta.dirname, '..', '..', '..')

let out: string
let env: TestEnv
beforeAll(async () => {
  mkdirSync(join(root, '.local'), { recursive: true })
  out = mkdtempSync(join(root, '.local', 'bundles-'))
  for (const service of serviceNames) await bundleService(service, out)
  cpSync(join(root, 'content'), join(out, 'content'), { recursive: true })
  const fileOf = (service: string) => join(relative(root, out), 'services', service, 'main.mjs')
  env = await TestEnv.start(undefined, {
    apart: 'all',
    entries: Object.fromEntries(serviceProcesses.map((process) => [process, fileOf(serviceOf(process))])),
  })
}, 240_000)
afterAll(async () => {
  await env?.stop()
  if (out) rmSync(out, { recursive: true, force: true })
})

test.each(serviceNames)('the bundle of %s knows its commands', (service) => {
  const file = join(out, 'services', service, 'main.mjs')
  const { status, stderr } = spawnSync(process.execPath, [file, 'nonsense'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining(`${service} has no command nonsense; it has: migrate`)])
})

test('bundles accept, send and record a message, and read their receipts', async () => {
  await untilState(env, await send(env), { delivery_status: 'delivered' })
})

test('the render threads are bundled too', async () => {
  const operator = (url: string, body: object) => env.api('POST', url, { token: env.operatorToken, body })
  // A filter: what is text and variables only is filled without a thread.
  const templates = { sms: { body: 'Total {{ total | round: 2 }}' } }
  const { body, text } = await operator('/api/v1/templates', { name: 'Total', templates })
  expect(text).toContain('template_id')
  const preview = await operator(`/api/v1/templates/${body.template_id}/preview`, { template_data: { total: 12.345 } })
  expect([preview.status, preview.body.rendered]).toEqual([200, { sms: { body: 'Total 12.35' } }])
})

test('the gateway serves the files beside its bundle', async () => {
  const reference = await fetch(`${env.stack.url('gateway')}/content/openapi.json`)
  expect(reference.status).toBe(200)
  const page = await (await fetch(`${env.stack.url('gateway')}/docs`)).text()
  const [, script] = /src="(\/docs\/reference-\w+\.js)"/.exec(page) ?? []
  expect((await fetch(`${env.stack.url('gateway')}${script}`)).status).toBe(200)
})
