import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'

const file = join(import.meta.dirname, '../tests/lingering/main.ts')

test('a process ends after its stop, although something still holds it open', async () => {
  const child = spawn(process.execPath, [file], {
    env: {
      ...{ PORT: '1', METRICS_PORT: String(await closedPort()), PRINCIPAL_JWKS: '{"keys":[]}' },
      ...{ DATABASE_URL: 'postgres://127.0.0.1:1/none', NATS_URL: 'nats://127.0.0.1:1' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const wasReady = output.includes('"ready"')
    output += chunk
    // A second signal would end it at once.
    if (!wasReady && output.includes('"ready"')) child.kill('SIGTERM')
  })
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(output).toContain('something keeps the process open')
})
