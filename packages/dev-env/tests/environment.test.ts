import { expect, test } from '@jest/globals'
import { portsFrom } from '../src/infrastructure/ports.ts'
import { machineEnvironment } from '../src/stack/machine-environment.ts'
import { serviceOf, serviceProcesses } from '../src/stack/process-names.ts'
import { environmentOf } from '../src/stack/process-table.ts'
import type { Wiring } from '../src/stack/wiring.ts'
import { makeState } from '../src/state/make-state.ts'

const wiring: Wiring = {
  ports: portsFrom(20_000),
  state: makeState(),
  natsUrl: 'nats://127.0.0.1:1',
  serviceNatsUrl: (service) => `nats://${service}@127.0.0.1:1`,
  redisUrl: 'redis://127.0.0.1:2',
  adminDatabaseUrl: 'postgres://postgres@127.0.0.1:3/notify',
  servicePassword: (service) => `password of ${service}`,
  bootstrapFile: '/tmp/bootstrap.json',
  certificates: { ca: import.meta.filename, server: { cert: '', key: '' }, client: { cert: '', key: '' } },
  logLevel: 'warn',
  withSender: false,
}

interface Schema {
  shape: Record<string, unknown>
  safeParse(value: unknown): { error?: { issues: unknown[] } }
}

test.each(serviceProcesses)('%s gets the variables of its configuration, and no others', async (name) => {
  const file = `../../../services/${serviceOf(name)}/src/config.ts`
  const { Config } = (await import(file)) as { Config: Schema }
  const environment = await environmentOf(name, wiring)
  expect(Object.keys(environment).filter((variable) => !(variable in Config.shape))).toEqual([])
  expect(Config.safeParse(environment).error?.issues).toBeUndefined()
})

test('variables about traces and logs reach the services of npm start, and other variables of its environment do not', () => {
  const variables = {
    TRACE_SAMPLE_RATIO: '1',
    LOG_REQUEST_RATIO: '0.5',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector',
  }
  Object.assign(process.env, variables, { HTTPS_PROXY: 'http://proxy:3128' })
  const passed = machineEnvironment()
  for (const name of [...Object.keys(variables), 'HTTPS_PROXY']) delete process.env[name]
  expect(passed).toMatchObject(variables)
  expect(passed).not.toHaveProperty('HTTPS_PROXY')
})

test('only the gateway gets the key that signs principals', async () => {
  const environments = await Promise.all(
    serviceProcesses.map(async (name) => [name, await environmentOf(name, wiring)] as const),
  )
  const holders = environments.filter(([, environment]) => 'PRINCIPAL_SIGNING_KEY' in environment)
  expect(holders.map(([name]) => name)).toEqual(['gateway'])
})
