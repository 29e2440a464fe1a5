import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BootstrapDocument, newId } from '@notify/contracts'
import type { Stack } from '@notify/dev-env'
import { mintApiKey } from '@notify/privacy'
import pg from 'pg'

/** Adds a tenant with providers, a key and default limits. @returns its key */
export async function addHostileTenant(stack: Stack): Promise<string> {
  const [tenantId, applicationId, keyId] = [newId('ten'), newId('app'), newId('key')]
  const { apiKey, sha256 } = mintApiKey('live', keyId)
  const database = new pg.Client({ connectionString: stack.adminDatabaseUrl })
  await database.connect()
  try {
    await database.query(`insert into gateway.tenants (id, name) values ($1, 'Hostile')`, [tenantId])
    await database.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Hostile')`, [
      applicationId,
      tenantId,
    ])
    await database.query(
      `insert into gateway.api_keys (id, tenant_id, application_id, name, mode, permissions, sha256)
       values ($1, $2, $3, 'Hostile', 'live', '{notifications:send}', $4)`,
      [keyId, tenantId, applicationId, sha256],
    )
  } finally {
    await database.end()
  }
  const file = join(stack.dataDir, 'bootstrap.json')
  const document: BootstrapDocument = JSON.parse(await readFile(file, 'utf8'))
  // A WhatsApp number belongs to one tenant.
  const shared = document.providers.filter(({ kind }: { kind: string }) => kind !== 'whatsapp_cloud')
  const providers = shared.map((one: object) => ({ ...one, provider_id: newId('prov'), tenant_id: tenantId }))
  await writeFile(file, JSON.stringify({ ...document, providers: [...document.providers, ...providers] }))
  await stack.restart('dispatch-api')
  return apiKey
}
