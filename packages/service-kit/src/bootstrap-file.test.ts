import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { readBootstrapFile } from './bootstrap-file.ts'
import { describeError } from './logger.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootstrap-'))
})
afterAll(() => rm(folder, { recursive: true }))

const application = { application_id: newId('app'), tenant_id: newId('ten'), name: 'Shop' }
const empty = { tenants: [], applications: [], api_keys: [], events: [], providers: [] }

async function faultOf(text: string): Promise<string> {
  const file = join(folder, 'bootstrap.json')
  await writeFile(file, text)
  const error = await readBootstrapFile(file).then(
    () => undefined,
    (fault: Error) => fault,
  )
  return error?.message.replace(file, 'FILE') ?? 'none'
}

test('a fault of the bootstrap file is one sentence that names the file and the path', async () => {
  expect(await faultOf(JSON.stringify(empty))).toBe('none')
  expect(await faultOf(JSON.stringify({ ...empty, applications: [application] }))).toBe(
    'BOOTSTRAP_FILE FILE is not valid: applications.0.allowed_origins is missing',
  )
  expect(await faultOf('{')).toMatch(/^BOOTSTRAP_FILE FILE is not valid JSON, line 1 column \d+$/)
  await expect(readBootstrapFile(join(folder, 'nowhere'))).rejects.toThrow(/nowhere cannot be read: ENOENT/)
})

test.each([`{ "password": 'hunter2!' }`, '{ "password": hunter2! }', '{ "password": "hunter2!', 'hunter2!'])(
  'a fault of JSON shows nothing of the file: %s',
  async (text) => {
    const file = join(folder, 'secret.json')
    await writeFile(file, text)
    const error = await readBootstrapFile(file).catch((fault: Error) => fault)
    expect(error).toBeInstanceOf(Error)
    expect(JSON.stringify(describeError(error))).not.toContain('hunt')
  },
)
