import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { z } from 'zod'
import { loadConfig } from './config.ts'
import { readSecretFiles } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(text: string): string {
  const path = join(folder, crypto.randomUUID())
  writeFileSync(path, text)
  return path
}

const Config = z.object({
  API_SECRET: z.string().min(8).describe('Secret of the partner'),
  NATS_CA: z.string().optional(),
  NATS_CA_FILE: z.string().optional().describe('CA certificates'),
})

test.each(['hunter2-hunter2', 'hunter2-hunter2\n', 'hunter2-hunter2\r\n'])(
  'a variable is read from a file: %j',
  (text) => {
    const env = { API_SECRET_FILE: fileWith(text), API_SECRET: '', UNRELATED_FILE: '/nowhere' }
    expect(loadConfig(Config, env)).toEqual({ API_SECRET: 'hunter2-hunter2' })
  },
)

test('a variable whose own name ends in _FILE stays a path', () => {
  const path = fileWith('certificate')
  expect(loadConfig(Config, { API_SECRET: 's'.repeat(8), NATS_CA_FILE: path })).toEqual({
    API_SECRET: 's'.repeat(8),
    NATS_CA_FILE: path,
  })
})

test('a variable that is given twice, or whose file cannot be read or is empty, is reported by its name and never by its value', () => {
  const path = fileWith('hunter2-hunter2')
  const faultOf = (env: NodeJS.ProcessEnv) => () => loadConfig(Config, env)
  expect(faultOf({ API_SECRET_FILE: path, API_SECRET: 'hunter2-hunter2' })).toThrow(
    /^API_SECRET: is set, and API_SECRET_FILE too: set one of them \(Secret of the partner\)$/,
  )
  expect(faultOf({ API_SECRET_FILE: join(folder, 'gone') })).toThrow(
    `API_SECRET: API_SECRET_FILE names ${join(folder, 'gone')}, which cannot be read (ENOENT) (Secret of the partner)`,
  )
  expect(faultOf({ API_SECRET_FILE: fileWith('\n') })).toThrow(/which is empty \(Secret of the partner\)$/)
  expect(faultOf({ API_SECRET_FILE: fileWith('hunter2') })).toThrow(/^API_SECRET: (?!.*hunter2)/)
})

test('only the variables that are asked for are read from files', () => {
  const env = { PASSWORD_FILE: fileWith('a'), OTHER_FILE: fileWith('b') }
  expect(readSecretFiles(env, ['PASSWORD']).values).toEqual({ ...env, PASSWORD: 'a' })
})
