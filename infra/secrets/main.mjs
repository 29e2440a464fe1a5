// The container `secrets` of docker-compose.yml, which ends before any other starts:
//
//   make      makes the secrets at the first start, keeps them at later ones, and writes each reader's files
//   show      prints the API key, an operator's token and a first request
//
// SECRETS_FOLDER has a folder for each reader, the volume of one container, and `state`, which no other container mounts.
// Secrets in the environment (.env) replace made ones, and need BOOTSTRAP_FILE. NATS_FOLDER has the configuration of NATS.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstSteps } from './first-steps.mjs'
import { readKept, SecretsError, takeSecrets } from './kept-secrets.mjs'
import { filesOfReaders } from './readers.mjs'
import { writeWhole } from './write-whole.mjs'

const { SECRETS_FOLDER: folder = '/secrets', NATS_FOLDER: natsFolder = '/etc/nats' } = process.env
const commands = { make, show }

try {
  const [, , command = 'make'] = process.argv
  if (!Object.hasOwn(commands, command)) throw new SecretsError(`no command ${command}; there are make and show`)
  commands[command]()
} catch (error) {
  if (!(error instanceof SecretsError || error.code)) throw error
  console.error(`secrets: ${error.message}`)
  process.exitCode = 1
}

function make() {
  const [server, authorization] = ['nats.conf', 'authorization.conf'].map((name) =>
    readFileSync(join(natsFolder, name), 'utf8'),
  )
  const secrets = takeSecrets(folder, process.env)
  for (const [reader, { user, files }] of Object.entries(filesOfReaders(secrets, { server, authorization }))) {
    mkdirSync(join(folder, reader), { recursive: true })
    for (const [name, text] of Object.entries(files)) writeWhole(join(folder, reader, name), text, user)
  }
  console.log('the secrets are in place')
}

function show() {
  const secrets = readKept(folder)
  if (!secrets)
    throw new SecretsError('there are none that this installation has made: .env gives them, or it never started')
  console.log(firstSteps(secrets, process.env))
}
