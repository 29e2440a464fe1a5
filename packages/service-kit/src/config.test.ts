import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { ConfigError, commonConfig, duration, durations, jsonText, loadConfig } from './config.ts'

const Config = z.object({
  ...commonConfig,
  API_SECRET: z.string().min(40).describe('Secret of the partner'),
  RETRY_DELAYS: durations('5s,30s').describe('Waits'),
})
const complete = {
  PORT: '8080',
  METRICS_PORT: '9090',
  DATABASE_URL: 'postgres://dispatch:pw@db:5432/notify',
  NATS_URL: 'nats://nats:4222',
  PRINCIPAL_JWKS: '{"keys":[]}',
  API_SECRET: 's'.repeat(40),
}

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(Config, env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n')
  }
}

test('texts of the environment become numbers, durations and objects, with the defaults of what is not given', () => {
  expect(
    loadConfig(Config, { ...complete, DRAIN_DELAY: '2s', RETRY_DELAYS: '250ms,2m', UNRELATED: 'x' }),
  ).toMatchObject({
    PORT: 8080,
    PRINCIPAL_JWKS: { keys: [] },
    DRAIN_DELAY: 2000,
    SHUTDOWN_TIMEOUT: 25_000,
    RETRY_DELAYS: [250, 120_000],
    LOG_LEVEL: 'info',
    MIGRATE_ON_START: true,
  })
})

test('every fault is reported at once, one line each, with what the variable means', () => {
  const { PORT: _, ...rest } = complete
  expect(faultsOf({ ...rest, LOG_LEVEL: 'loud', DRAIN_DELAY: '5 seconds', DATABASE_URL: 'mysql://db' })).toEqual([
    'PORT: is not set (Port of the HTTP interface)',
    expect.stringMatching(/^LOG_LEVEL: .+ \(Minimum log level\)$/),
    expect.stringMatching(/^DATABASE_URL: .+ \(Postgres URL with the service's own role\)$/),
    expect.stringMatching(/^DRAIN_DELAY: .*not a duration.* \(Time between reporting unready/),
  ])
})

test('an empty variable counts as not given', () => {
  expect(faultsOf({ ...complete, PORT: '' })).toEqual(['PORT: is not set (Port of the HTTP interface)'])
  expect(loadConfig(Config, { ...complete, LOG_LEVEL: '' }).LOG_LEVEL).toBe('info')
})

test('the value of a bad variable is never printed: it may be a secret', () => {
  const secret = 'hunter2'
  const faults = faultsOf({
    ...complete,
    API_SECRET: secret,
    DATABASE_URL: `postgres//dispatch:${secret}@db`,
    NATS_URL: `nats//${secret}`,
    PRINCIPAL_JWKS: `{"keys": ${secret}}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: secret,
  })
  expect(faults.map((line) => line.split(':')[0]).sort()).toEqual([
    'API_SECRET',
    'DATABASE_URL',
    'NATS_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'PRINCIPAL_JWKS',
  ])
  expect(faults.join('\n')).not.toContain(secret)
})

test('a key set must be one', () => {
  for (const text of ['null', '[]', '{}', '{"keys":{}}', 'keys']) {
    expect(faultsOf({ ...complete, PRINCIPAL_JWKS: text })).toEqual([expect.stringMatching(/^PRINCIPAL_JWKS: must be/)])
  }
})

test('NATS may be a cluster: several addresses, comma separated', () => {
  const NATS_URL = 'nats://a:4222,nats://user:pw@b:4222,tls://c'
  expect(loadConfig(Config, { ...complete, NATS_URL }).NATS_URL).toBe(NATS_URL)
  for (const bad of ['nats://a:4222,', 'nats://a:4222,http://b', 'a:4222', 'nats://a:4222;nats://b:4222']) {
    expect(faultsOf({ ...complete, NATS_URL: bad })).toEqual([expect.stringMatching(/^NATS_URL: /)])
  }
})

test.each(['-1', '65536', '80.5', 'http'])('a port of %s is refused', (PORT) => {
  expect(faultsOf({ ...complete, PORT })).toEqual([expect.stringMatching(/^PORT: /)])
})

test('the fallbacks of durations are written like the variables themselves', () => {
  const Times = z.object({ WAIT: duration('2m'), STEPS: durations('1s,2s') })
  expect(loadConfig(Times, {})).toEqual({ WAIT: 120_000, STEPS: [1000, 2000] })
  expect(() => loadConfig(Times, { STEPS: '1s,soon' })).toThrow('STEPS: "soon" is not a duration')
})

test('JSON in a variable is judged by its schema', () => {
  const Shape = z.object({ RULES: jsonText(z.object({ limit: z.number() })).describe('Rules') })
  expect(loadConfig(Shape, { RULES: '{"limit":3}' })).toEqual({ RULES: { limit: 3 } })
  expect(() => loadConfig(Shape, { RULES: '{"limit":"3"}' })).toThrow(/^RULES: .+ \(Rules\)$/)
  expect(() => loadConfig(Shape, { RULES: '{' })).toThrow('RULES: must be JSON (Rules)')
})
