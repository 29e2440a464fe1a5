import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { fileOf, programPath, TestEnv } from '../src/index.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const { DEBUG } = process.env
afterEach(() => {
  if (DEBUG === undefined) delete process.env.DEBUG
  else process.env.DEBUG = DEBUG
})

test('services and commands of tests start from bundles; with DEBUG, and in another project, from their sources', () => {
  const source = fileOf('gateway')
  delete process.env.DEBUG
  expect(programPath(source)).toMatch(/\.local\/test-programs\/\w+\/services\/gateway\/src\/main\.js$/)
  expect(programPath(source, '/elsewhere')).toBe('/elsewhere/services/gateway/src/main.ts')
  expect(programPath('packages/demo-shop/src/main.ts')).toBe(join(root, 'packages/demo-shop/src/main.ts'))
  process.env.DEBUG = '1'
  expect(programPath(source)).toBe(join(root, source))
})

test('a service alone, and services that share a process, run from bundles', async () => {
  delete process.env.DEBUG
  for (const apart of [[], 'all'] as const) {
    const env = await TestEnv.start(['consent'], { apart })
    const command = readFileSync(`/proc/${env.stack.pids.consent}/cmdline`, 'utf8')
    expect(command).toMatch(/\/test-programs\//)
    expect((await env.call('consent', 'GET', '/readyz')).status).toBe(200)
    await env.stop()
  }
})
