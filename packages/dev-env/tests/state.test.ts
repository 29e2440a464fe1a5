import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { BootstrapDocument } from '@notify/contracts'
import { bootstrapDocument } from '../src/seed.ts'
import { loadState } from '../src/state/load-state.ts'
import { makeState } from '../src/state/make-state.ts'

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'notify-state-'))
  chmodSync(folder, 0o755)
  lines = []
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const load = (options: { reset?: boolean } = {}) =>
  loadState(folder, { ...options, onProgress: (line) => lines.push(line) })

function makeData(): void {
  mkdirSync(join(folder, 'postgres'), { recursive: true })
  writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '18\n')
}

test('secrets and identifiers stay as long as the data does', () => {
  const first = load()
  makeData()
  expect(load()).toEqual(first)
  expect(statSync(join(folder, 'state.json')).mode & 0o777).toBe(0o600)
  expect(lines).toEqual([])
})

test('data without its secrets is moved aside, and a line reports it', () => {
  const first = load()
  makeData()
  rmSync(join(folder, 'state.json'))
  expect(load()).not.toEqual(first)
  expect(lines).toEqual([`${folder}/state.json is missing, the data cannot be opened without it: starting over`])
  expect(() => statSync(join(folder, 'postgres'))).toThrow()
})

test('secrets without their data are replaced, and a line reports it', () => {
  const first = load()
  expect(load()).not.toEqual(first)
  expect(lines).toEqual(['the data folder is missing, its secrets are of no use: starting over'])
})

test('half a state file is as good as none', () => {
  writeFileSync(join(folder, 'state.json'), '{"version":1,')
  load()
  expect(lines).toEqual([`${folder}/state.json cannot be read: starting over`])
})

test('a state without the parts of one carrier gets these parts, once, and keeps the rest', () => {
  const { ses_provider_id, ses_access_key_id, ses_secret_access_key, ...before } = load()
  makeData()
  writeFileSync(join(folder, 'state.json'), JSON.stringify(before))
  const completed = load()
  expect(completed).toMatchObject(before)
  expect(Object.keys(completed).sort()).toEqual(Object.keys(makeState()).sort())
  expect([ses_provider_id, ses_access_key_id, ses_secret_access_key]).not.toContain(completed.ses_access_key_id)
  expect(load()).toEqual(completed)
  expect(statSync(join(folder, 'state.json')).mode & 0o777).toBe(0o600)
  expect(lines).toEqual([])
})

test('a state without what its data was written with is as good as none', () => {
  const { encryption_keys: _, ...before } = load()
  makeData()
  writeFileSync(join(folder, 'state.json'), JSON.stringify(before))
  expect(load().tenant_id).not.toBe(before.tenant_id)
  expect(lines).toEqual([`${folder}/state.json cannot be read: starting over`])
})

test('a reset removes data and secrets', () => {
  const first = load()
  makeData()
  expect(load({ reset: true })).not.toEqual(first)
  expect(() => statSync(join(folder, 'postgres'))).toThrow()
})

test('the seed is what the services expect, and the same at every start', () => {
  const state = makeState()
  expect(BootstrapDocument.parse(bootstrapDocument(state))).toEqual(bootstrapDocument(state))
})
