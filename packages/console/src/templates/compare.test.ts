import { expect, test } from '@jest/globals'
import { compare, type Templated } from './compare.ts'

const event = (body: string, more: Partial<Templated> = {}): Templated => ({
  name: 'Order',
  allowed_channels: ['sms'],
  templates: { sms: { body } },
  ...more,
})

test('equal contents have no difference', () => {
  expect(compare(event('a\nb'), event('a\nb'))).toEqual([])
})

test('changes are shown by line, with the lines around them', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
  const changed = lines.with(10, 'other')
  const [difference] = compare(event(lines.join('\n')), event(changed.join('\n')))
  expect(difference).toEqual({
    label: 'SMS text',
    lines: [
      { kind: 'skipped', count: 7 },
      ...['line 7', 'line 8', 'line 9'].map((text) => ({ kind: 'same', text })),
      { kind: 'removed', text: 'line 10' },
      { kind: 'added', text: 'other' },
      ...['line 11', 'line 12', 'line 13'].map((text) => ({ kind: 'same', text })),
      { kind: 'skipped', count: 6 },
    ],
  })
})

test('a first version consists of additions; a template that goes consists of removals', () => {
  expect(compare(undefined, event('a')).map(({ label }) => label)).toEqual(['Name', 'Channels', 'SMS text'])
  const gone = compare(event('a'), event('a', { allowed_channels: [], templates: {} }))
  expect(gone).toEqual([
    { label: 'Channels', lines: [{ kind: 'removed', text: 'SMS' }] },
    { label: 'SMS text', lines: [{ kind: 'removed', text: 'a' }] },
  ])
})

test('texts of a translation are compared under the name of its language', () => {
  const [difference] = compare(event('a'), event('a', { translations: { ar: { sms: { body: 'ا' } } } }))
  expect(difference).toEqual({ label: 'SMS text, Arabic (ar)', lines: [{ kind: 'added', text: 'ا' }] })
})

test('texts of 10,000 characters are compared, in one line as in many', () => {
  const long = 'x'.repeat(10_000)
  expect(compare(event(long), event(`${long}y`))[0]?.lines).toEqual([
    { kind: 'removed', text: long },
    { kind: 'added', text: `${long}y` },
  ])
  const [replaced] = compare(event('a\n'.repeat(5000)), event('b\n'.repeat(5000)))
  expect(new Set(replaced?.lines.map(({ kind }) => kind))).toEqual(new Set(['removed', 'added']))
})
