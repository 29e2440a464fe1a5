import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { decodeJwt } from 'jose'
import { createUserTokens } from './user-token.ts'

const keyOf = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid,
})
const cells = new Map([
  ['a', 'https://a.example'],
  ['b', 'https://b.example'],
])
const owner = { tenant_id: newId('ten'), application_id: newId('app'), mode: 'live', user_id: 'user-7' } as const
const soon = () => Date.now() + 60_000

test('a token names its cell, and another cell says where it belongs', async () => {
  const a = await createUserTokens([keyOf('a1')], { cell: 'a', cells })
  const b = await createUserTokens([keyOf('b1')], { cell: 'b', cells })
  const token = await a.issue(owner, soon())
  expect(decodeJwt(token)).toMatchObject({ cell: 'a', sub: 'user-7' })
  expect(await a.verify(token)).toMatchObject({ user_id: 'user-7' })
  await expect(b.verify(token)).rejects.toMatchObject({
    code: 'wrong_cell',
    headers: { Location: 'https://a.example' },
  })
})

test('a token of an unknown cell, of no cell, or of this one by another key is refused as any other', async () => {
  const b = await createUserTokens([keyOf('b1')], { cell: 'b', cells })
  for (const here of [{ cell: 'x', cells }, {}, { cell: 'b', cells }]) {
    const token = await (await createUserTokens([keyOf('other')], here)).issue(owner, soon())
    await expect(b.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  }
  await expect(b.verify('nothing')).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('without cells a token names none', async () => {
  const plain = await createUserTokens([keyOf('a1')])
  expect(decodeJwt(await plain.issue(owner, soon()))).not.toHaveProperty('cell')
})
