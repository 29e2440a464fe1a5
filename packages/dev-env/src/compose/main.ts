/**
 * The container `secrets` of docker-compose.yml, which ends before any other starts:
 *
 *   make      makes the secrets at the first start, keeps them at later ones, and writes each reader's files
 *   show      prints the API key, an operator's token and a first request
 *
 * SECRETS_FOLDER has a folder for each reader, the volume of one container, and `state`, which no other container mounts.
 * Secrets in the environment (.env) replace made ones, and need BOOTSTRAP_FILE. NATS_FOLDER has the configuration of NATS.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstSteps } from './first-steps.ts'
import { readKept, SecretsError, takeSecrets } from './kept-secrets.ts'
import { filesOfReaders } from './readers.ts'
import { writeWhole } from './write-whole.ts'

const { SECRETS_FOLDER: folder = '/secrets', NATS_FOLDER: natsFolder = '/etc/nats' } = process.env
const commands = { make, show }

try {
  const [, , command = 'make'] = process.argv
  if (!Object.hasOwn(commands, command)) throw new SecretsError(`no command ${command}; there are make and show`)
  commands[command as keyof typeof commands]()
} catch (error) {
  if (!(error instanceof SecretsError || (error as NodeJS.ErrnoException).code)) throw error
  console.error(`secrets: ${(error as Error).message}`)
  process.exitCode = 1
}

function make(): void {
  const read = (name: string) => readFileSync(join(natsFolder, name), 'utf8')
  const nats = { server: read('nats.conf'), authorization: read('authorization.conf') }
  const secrets = takeSecrets(folder, process.env)
  for (const [reader, { user, files }] of Object.entries(filesOfReaders(secrets, nats))) {
    mkdirSync(join(folder, reader), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeWhole(join(folder, reader, name), text, user)
  }
  console.log('the secrets are in place')
}

function show(): void {
  const secrets = readKept(folder)
  if (!secrets)
    throw new SecretsError('there are none that this installation has made: .env gives them, or it never started')
  console.log(firstSteps(secrets, process.env))
}
