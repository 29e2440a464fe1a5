// Writes generated files. `--check` writes nothing and fails when one is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openApiDocument } from '@notify/contracts/openapi'
import { apiTypes } from '../packages/sdk/scripts/api-types.mjs'
import { chartFiles } from './chart-files.ts'
import { fixtureFiles } from './contract-fixtures.ts'
import { referenceDocument } from './generate-reference.ts'
import { serviceReadmes } from './generate-service-readmes.mjs'
import { guidesFile } from './guides.ts'
import { licenceNotices } from './licence-notices.mjs'
import { natsAuthorization } from './nats-permissions.ts'

const document = openApiDocument()
const files = {
  'content/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'content/guides.json': guidesFile(),
  'packages/sdk/src/api-types.ts': await apiTypes(document),
  'infra/nats/authorization.conf': await natsAuthorization(),
  'THIRD-PARTY-NOTICES.md': licenceNotices(),
  'docs/reference.md': await referenceDocument(),
  ...(await chartFiles()),
  ...(await serviceReadmes()),
  ...fixtureFiles(),
}
const check = process.argv.includes('--check')
let stale = 0
for (const [path, text] of Object.entries(files)) {
  const file = new URL(`../${path}`, import.meta.url)
  const current = read(file)
  if (current === text) continue
  if (check) {
    console.error(`${path} does not fit the contracts any more: run npm run generate`)
    stale++
    continue
  }
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${path}`)
}
process.exitCode = stale > 0 ? 1 : 0

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
