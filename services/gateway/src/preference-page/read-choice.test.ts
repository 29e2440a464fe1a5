import { expect, test } from '@jest/globals'
import { readChoice } from './read-choice.ts'

const topics = Array.from({ length: 150 }, (_, at) => `topic-${at + 1}`)

const posted = (fields: [string, string][]) => readChoice(Buffer.from(String(new URLSearchParams(fields))))

test('a choice counts wherever its topic stands on a long page', () => {
  const shown = topics.map((topic): [string, string] => ['listed', topic])
  const [last, ...others] = topics.toReversed()
  const checked = others.map((topic): [string, string] => ['topic', topic])
  const save = { action: 'save', on: [], off: [], frequencies: [] }
  expect(posted([['action', 'save'], ...shown, ...checked])).toEqual({ ...save, off: [last] })
  const all: [string, string][] = [...shown, ...checked, ['topic', last!]]
  expect(posted([['action', 'save'], ...all, ['shown_off', last!]])).toEqual({ ...save, on: [last] })
  const often: [string, string][] = [
    [`shown_frequency.${last}`, ''],
    [`frequency.${last}`, 'daily'],
  ]
  expect(posted([['action', 'save'], ...all, ...often])).toEqual({
    ...save,
    frequencies: [{ topic: last, frequency: 'daily' }],
  })
})

test('of more changes than dispatch takes at a time, the first count', () => {
  const shown = topics.map((topic): [string, string] => ['listed', topic])
  expect(posted([['action', 'save'], ...shown])).toMatchObject({ off: topics.slice(0, 100) })
})
