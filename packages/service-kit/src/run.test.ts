import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { closedPort } from '@notify/test-kit/http'

const file = join(import.meta.dirname, '../tests/lingering/main.ts')

/** Sends SIGTERM once the process is ready, and waits for its end. */
async function runUntilStopped(env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [file], {
    env: {
      ...{ PORT: '1', METRICS_PORT: String(await closedPort()), PRINCIPAL_JWKS: '{"keys":[]}' },
      ...{ DATABASE_URL: 'postgres://127.0.0.1:1/none', NATS_URL: 'nats://127.0.0.1:1' },
      ...env,
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
  const [exitCode] = await once(child, 'close')
  return { exitCode, output }
}

test('a process ends after its stop, although something still holds it open', async () => {
  const { exitCode, output } = await runUntilStopped()
  expect(exitCode).toBe(0)
  expect(output).toContain('something keeps the process open')
})

test('the drain has its whole time after DRAIN_DELAY, also if the delay is longer', async () => {
  const { exitCode, output } = await runUntilStopped({ DRAIN_DELAY: '4s', SHUTDOWN_TIMEOUT: '3s' })
  expect(output).not.toContain('drain timed out')
  expect(exitCode).toBe(0)
})
