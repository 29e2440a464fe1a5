import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { postgresDataDir } from '../infrastructure/postgres.ts'
import {
  makeMetaState,
  makeServerPasswords,
  makeServiceKeys,
  makeSesState,
  makeState,
  makeWebhookState,
} from './make-state.ts'
import type { State } from './state.ts'
import { writeSecretFile } from './write-secret-file.ts'

export interface LoadStateOptions {
  /** Delete the data and start empty. */
  reset?: boolean
  /** False when Postgres is a server of the user's: its data is not ours to judge or to remove. */
  ownPostgres?: boolean
  onProgress?: (text: string) => void
}

/**
 * The stack's secrets from `<dataDir>/state.json`, made at the first start. Secrets without data, or data without
 * secrets, are useless: both are recreated then, and a line reports it. A file that lacks a carrier or a password gets it and keeps
 * the rest.
 */
export function loadState(
  dataDir: string,
  { reset = false, ownPostgres = true, onProgress }: LoadStateOptions = {},
): State {
  const file = join(dataDir, 'state.json')
  const postgresData = ownPostgres ? postgresDataDir(join(dataDir, 'postgres')) : undefined
  const hasData = postgresData !== undefined && existsSync(join(postgresData, 'PG_VERSION'))
  const found = readState(file)
  if (found && !reset && (hasData || !ownPostgres)) {
    writeSecretFile(file, found)
    return found
  }

  if (reset && (found || hasData)) onProgress?.('reset: the data of earlier starts is removed')
  else if (found) onProgress?.('the data folder is missing, its secrets are of no use: starting over')
  else if (existsSync(file)) onProgress?.(`${file} cannot be read: starting over`)
  else if (hasData) onProgress?.(`${file} is missing, the data cannot be opened without it: starting over`)
  const folders = ['nats', 'redis', 'bootstrap.json', 'dev.json', 'state.json'].map((name) => join(dataDir, name))
  if (postgresData) folders.push(postgresData)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  const state = makeState()
  writeSecretFile(file, state)
  return state
}

function readState(file: string): State | undefined {
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as State
    const state = {
      ...makeSesState(),
      ...makeMetaState(),
      ...makeWebhookState(),
      ...makeServerPasswords(),
      ...makeServiceKeys(),
      ...saved,
    }
    // An incomplete file or one of another version is ignored.
    const known = Object.keys(makeState())
    return state.version === 1 && known.every((name) => name in state) ? state : undefined
  } catch {
    return undefined
  }
}
