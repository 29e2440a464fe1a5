import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BootstrapDocument } from '@notify/contracts'
import { makeSecrets, type Secrets } from './make-secrets.ts'
import { writeWhole } from './write-whole.ts'

/** Why the installation cannot start; the message says what to do. */
export class SecretsError extends Error {}

const startOver = 'start over and lose the data: docker compose down --volumes'
const lost = `state/secrets.json is missing, and the data of earlier starts needs its keys. Restore the volume "secrets" from a backup, or
${startOver}`
const gone = `earlier starts took the secrets from .env, which gives none now. Restore it, or ${startOver}`
const foreign = `.env gives secrets, but earlier starts made their own, and the data needs those. Remove them from .env, or ${startOver}`

/** @returns the secrets that the first start made; undefined before it, or when they come from the environment */
export function readKept(folder: string): Required<Secrets> | undefined {
  const file = fileIn(folder)
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  return kept?.given ? undefined : kept
}

/**
 * @returns the secrets of the environment when it has them, otherwise those of the first start
 * @throws SecretsError rather than make new ones for data that needs the old
 */
export function takeSecrets(folder: string, env: NodeJS.ProcessEnv): Secrets {
  const file = fileIn(folder)
  const isFirst = !existsSync(file)
  if (isFirst && isAnyWritten(folder)) throw new SecretsError(lost)
  const given = givenSecrets(env)
  const kept = readKept(folder)
  if (given) {
    if (kept) throw new SecretsError(foreign)
    if (isFirst) keep(file, { given: true })
    return given
  }
  if (kept) return kept
  if (!isFirst) throw new SecretsError(gone)
  const made = makeSecrets()
  // Written before any other file: after a crash on the next line, the next start continues with the same secrets.
  keep(file, made)
  return made
}

function keep(file: string, content: Secrets | { given: true }): void {
  mkdirSync(dirname(file), { recursive: true })
  writeWhole(file, `${JSON.stringify(content)}\n`)
}

function fileIn(folder: string): string {
  return join(folder, 'state', 'secrets.json')
}

/** Whether a reader has files already. */
function isAnyWritten(folder: string): boolean {
  const readers = existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'state') : []
  return readers.some((reader) => readdirSync(join(folder, reader)).length > 0)
}

function givenSecrets(env: NodeJS.ProcessEnv): Secrets | undefined {
  const names = Object.keys(makeSecrets().values)
  const missing = names.filter((name) => !env[name])
  if (missing.length === names.length) return undefined
  if (missing.length > 0) {
    throw new SecretsError(`.env gives some secrets, but not ${missing.join(', ')}: see infra/env.example`)
  }
  const values = Object.fromEntries(names.map((name) => [name, env[name]!]))
  return { values, document: readDocument(env.BOOTSTRAP_FILE) }
}

function readDocument(file: string | undefined): BootstrapDocument {
  const text = file ? readFileSync(file, 'utf8') : ''
  if (text.trim() === '') {
    throw new SecretsError(`.env gives secrets, but not the document that the installation starts with.
Add the line BOOTSTRAP_FILE=./.local/compose/bootstrap.json, or the path of yours`)
  }
  return JSON.parse(text)
}
