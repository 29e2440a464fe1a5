import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '@notify/contracts'
import { eventually, type TestEnv } from '@notify/dev-env'

/** Adds an SES provider through the bootstrap document, and waits until callbacks has it. */
export async function addEmailProvider(
  env: TestEnv,
  topicArns: string,
  tenantId: string = env.tenantId,
): Promise<`prov_${string}`> {
  const providerId = newId('prov')
  const file = join(env.stack.dataDir, 'bootstrap.json')
  const document = JSON.parse(readFileSync(file, 'utf8'))
  document.providers.push({
    provider_id: providerId,
    tenant_id: tenantId,
    application_id: null,
    channel: 'email',
    kind: 'ses',
    name: 'SES',
    priority: 9,
    credentials: {
      region: 'eu-west-1',
      access_key_id: 'AKIAEXAMPLEEXAMPLE00',
      secret_access_key: 'example-secret-access-key-0123456789abcd',
      from: 'orders@shop.example',
      topic_arns: topicArns,
    },
  })
  writeFileSync(file, JSON.stringify(document))
  await env.restart('dispatch-api')
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.providers where id = $1', [providerId])
    if (rows.length === 0) throw new Error('callbacks does not know the provider yet')
  })
  return providerId
}
