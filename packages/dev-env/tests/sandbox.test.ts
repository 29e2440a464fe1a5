import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BootstrapDocument } from '@notify/contracts'
import { describeStack } from '../src/dev-file.ts'
import { TestEnv } from '../src/test-env/test-env.ts'

const fake = 'packages/dev-env/tests/fake-service.ts'
let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['dispatch', 'callbacks'], {
    entries: { 'dispatch-api': fake, 'dispatch-worker': fake, callbacks: fake },
  })
})

afterAll(() => env.stop())

const environment = async (process: 'dispatch-worker' | 'callbacks'): Promise<Record<string, string>> =>
  (await env.call(process, 'GET', '/environment')).body

test('the services are pointed at the sandbox: SES, DNS, and whose notifications to trust', async () => {
  const sandbox = env.stack.url('carrier-sandbox')
  expect(await environment('dispatch-worker')).toMatchObject({
    SES_API_URL: `${sandbox}/ses`,
    DNS_SERVERS: env.stack.dnsServer,
  })
  expect(await environment('callbacks')).toMatchObject({ SNS_CERTIFICATE_HOSTS: sandbox })
})

test('records that a test sets are found at the DNS server that dev.json names, and so is what SPF records include', async () => {
  const resolver = new Resolver()
  resolver.setServers([(await describeStack(env.stack)).dns_server])
  await env.setDns([{ type: 'TXT', name: 'example.test', value: 'v=spf1 -all' }])
  expect(await resolver.resolveTxt('example.test')).toEqual([['v=spf1 -all']])
  const { SPF_INCLUDE = '' } = await environment('dispatch-worker')
  expect(await resolver.resolveTxt(SPF_INCLUDE)).toHaveLength(1)
  await expect(env.setDns([{ type: 'TXT', name: 'no name', value: '' }])).rejects.toThrow('records.0.name')
})

test('the events of the seeded SES account go to the callback path of its provider, on the topic that it trusts', async () => {
  const { providers } = BootstrapDocument.parse(
    JSON.parse(readFileSync(join(env.stack.dataDir, 'bootstrap.json'), 'utf8')),
  )
  const provider = providers.find(({ kind }) => kind === 'ses')
  expect(provider).toMatchObject({ channel: 'email', tenant_id: env.tenantId })
  const { body } = await env.call('carrier-sandbox', 'GET', '/sns/subscriptions')
  expect(body.items).toMatchObject([
    {
      topic_arn: provider?.credentials.topic_arns,
      endpoint: `${env.stack.url('gateway')}/api/v1/callbacks/email/${provider?.provider_id}`,
    },
  ])
})
