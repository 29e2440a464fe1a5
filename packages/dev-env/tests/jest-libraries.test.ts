import { expect, test } from '@jest/globals'
import * as jose from 'jose'
import transformer from '../src/jest-libraries.ts'

test('a library of the list is loaded outside this file, with all its exports', async () => {
  expect(jose.errors.JWTExpired.prototype).not.toBeInstanceOf(Error)
  const { publicKey, privateKey } = await jose.generateKeyPair('ES256')
  const token = await new jose.SignJWT({ sub: 'ada' }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  expect((await jose.jwtVerify(token, publicKey)).payload).toEqual({ sub: 'ada' })
})

test('both kinds of modules export what the library does', () => {
  const path = import.meta.resolve('jose').replace('file://', '')
  const code = (supportsStaticESM: boolean) => transformer.process('', path, { supportsStaticESM }).code
  for (const name of Object.keys(jose)) expect(code(true)).toContain(` as ${name} }`)
  expect(code(false)).toMatch(/^module\.exports = globalThis/)
})
