/**
 * Writes .env with new secrets, and the document that the installation starts with. `docker compose up` makes both by itself;
 * with this they are files of yours, which you can change and keep.
 *
 *   npm run make-env [folder]      the folder of docker-compose.yml unless given
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { firstSteps } from './first-steps.ts'
import { makeSecrets, type Secrets } from './make-secrets.ts'

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../../..'))
const document = './.local/compose/bootstrap.json'
const envFile = join(folder, '.env')
const bootstrapFile = join(folder, document)

const existing = [envFile, bootstrapFile].filter((file) => existsSync(file))
if (existing.length > 0) {
  console.error(`${existing.join(' and ')} exist already, and the data of earlier starts needs them: nothing was changed.
To start over: docker compose down --volumes, delete them, and run this again.`)
  process.exitCode = 1
} else {
  const secrets = makeSecrets()
  write(secrets)
  console.log(`Wrote ${envFile} and ${bootstrapFile}. The key and the token below are shown this once.

Next: docker compose up --build --detach, then

${firstSteps(secrets, process.env)}`)
}

function write(secrets: Secrets): void {
  const lines = Object.entries({ ...secrets.values, BOOTSTRAP_FILE: document }).map(
    ([name, value]) => `${name}='${value}'\n`,
  )
  // The folder is the owner's alone, and the file readable: the process in the container is another user.
  mkdirSync(dirname(dirname(bootstrapFile)), { recursive: true })
  mkdirSync(dirname(bootstrapFile), { recursive: true, mode: 0o700 })
  writeFileSync(bootstrapFile, `${JSON.stringify(secrets.document, null, 2)}\n`, { mode: 0o644, flag: 'wx' })
  writeFileSync(envFile, `# Made by npm run make-env; infra/env.example explains it.\n${lines.join('')}`, {
    mode: 0o600,
    flag: 'wx',
  })
}
