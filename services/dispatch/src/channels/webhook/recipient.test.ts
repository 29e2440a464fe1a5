import { expect, test } from '@jest/globals'
import { maskUrl } from './recipient.ts'

test.each([
  'https://hooks.example',
  'https://hooks.example/',
  'https://hooks.example/a-secret',
  'https://hooks.example/?key=a-secret',
])('the address %s is masked, so that nobody can call it who sees the mask alone', (url) => {
  expect(maskUrl(url)).toBe('https://hooks.example/***')
})
