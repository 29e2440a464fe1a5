import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createTestKit } from '@notify/test-kit/kit'
import { createCodeNames, createFailureCount } from './count-failures.ts'

test('the first hundred codes of a provider in an hour keep their names, further ones are counted together', () => {
  const nameOf = createCodeNames()
  const codes = Array.from({ length: 150 }, (_, n) => `code-${n}`)
  const named = codes.map((code) => nameOf('12', 'prov_a', code))
  expect(named.slice(0, 100)).toEqual(codes.slice(0, 100))
  expect(new Set(named.slice(100))).toEqual(new Set(['other']))
  expect(nameOf('12', 'prov_a', 'code-7')).toBe('code-7')
  expect(nameOf('12', 'prov_b', 'code-149')).toBe('code-149')
  expect(nameOf('13', 'prov_a', 'code-149')).toBe('code-149')
})

test('a code or reason that ends within a character is stored without the rest of it: all failures share a statement', async () => {
  const kit = createTestKit('dispatch')
  const written: { code: string; reason: string }[] = []
  const run = async (_statement: unknown, [rows]: string[]) => {
    written.push(...JSON.parse(rows!))
    return []
  }
  const count = createFailureCount(kit, { run } as unknown as Queries)
  const text = `x${'😀'.repeat(200)}`
  count({ mode: 'live', channel: 'sms', providerId: newId('prov'), code: text, reason: text })
  await kit.stop()
  expect(
    written.map(({ code, reason }) => [code.length, code.isWellFormed(), reason.length, reason.isWellFormed()]),
  ).toEqual([[64, true, 300, true]])
})
