import { expect, test } from '@jest/globals'
import { changesOf } from './changes.ts'

test('a change shows each field as it was and as it is', () => {
  const before = { name: 'Old', allowed_origins: [], gone: true }
  const after = { name: 'New', allowed_origins: ['https://a.example'] }
  expect(changesOf({ before, after })).toEqual([
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'allowed_origins', before: '[]', after: '[\n  "https://a.example"\n]' },
    { field: 'gone', before: 'true', after: undefined },
  ])
})

test('a creation shows no fields before it, a deletion none after it', () => {
  expect(changesOf({ before: null, after: { name: 'Shop' } })).toEqual([
    { field: 'name', before: undefined, after: 'Shop' },
  ])
  expect(changesOf({ before: { name: 'Shop' }, after: null })).toEqual([
    { field: 'name', before: 'Shop', after: undefined },
  ])
})
