import { expect, test } from '@jest/globals'
import { rebase } from './rebase.ts'

const basis = { name: 'First', origins: 'a', open: { region: 'eu', from: 'x' }, events: ['one'] }

test("a merge takes the other operator's value for untouched fields and keeps edited ones", () => {
  const edited = { ...basis, name: 'Mine' }
  const theirs = { ...basis, origins: 'b' }
  expect(rebase(edited, basis, theirs)).toEqual({ ...basis, name: 'Mine', origins: 'b' })
})

test('of what both have changed, the edits stay', () => {
  expect(rebase({ ...basis, name: 'Mine' }, basis, { ...basis, name: 'Theirs' })).toEqual({ ...basis, name: 'Mine' })
})

test('members of objects are compared one by one, lists as a whole', () => {
  const edited = { ...basis, open: { region: 'us', from: 'x' }, events: ['one', 'two'] }
  const theirs = { ...basis, open: { region: 'eu', from: 'y' }, events: [] }
  expect(rebase(edited, basis, theirs)).toEqual({ ...basis, open: { region: 'us', from: 'y' }, events: ['one', 'two'] })
})

test('a member that was removed or added on either side is so afterwards', () => {
  type Open = Record<string, string>
  const [was, edited, theirs]: Open[] = [
    { a: '1', b: '2' },
    { b: '2', c: '3' },
    { a: '1', d: '4' },
  ]
  expect(rebase(edited, was, theirs)).toEqual({ c: '3', d: '4' })
})
