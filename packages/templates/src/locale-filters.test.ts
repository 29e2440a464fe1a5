import { expect, test } from '@jest/globals'
import { checkTemplate, fillTemplate } from './fill-template.ts'

// Outside of its thread Liquid measures by the clock, which goes on while this process waits for a core.
const limitMs = 60_000

const fill = (locale: string, template: string, variables: Record<string, unknown> = {}, timeZone = 'UTC') =>
  fillTemplate('text', template, variables, { format: { locale, timeZone }, limitMs })

const forms = 'zero: "zero", one: "one", two: "two", few: "few", many: "many", other: "other"'

/** Expands the samples of CLDR: `2~4` is 2, 3 and 4, with the digits after the point that are written. */
function samplesOf(text: string): string[] {
  return text.split(', ').flatMap((part) => {
    const [from = '', to] = part.split('~')
    if (to === undefined) return [from]
    const digits = from.split('.')[1]?.length ?? 0
    const step = 10 ** -digits
    const count = Math.round((Number(to) - Number(from)) / step)
    return Array.from({ length: count + 1 }, (_, at) => (Number(from) + at * step).toFixed(digits))
  })
}

// The samples of common/supplemental/plurals.xml of CLDR.
test.each([
  ['pl', 'one', '1'],
  ['pl', 'few', '2~4, 22~24, 32~34, 42~44, 52~54, 62, 102, 1002'],
  ['pl', 'many', '0, 5~19, 100, 1000, 10000, 100000, 1000000'],
  ['pl', 'other', '0.0~1.5, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0'],
  ['ar', 'zero', '0, 0.0, 0.00, 0.000, 0.0000'],
  ['ar', 'one', '1, 1.0, 1.00, 1.000, 1.0000'],
  ['ar', 'two', '2, 2.0, 2.00, 2.000, 2.0000'],
  ['ar', 'few', '3~10, 103~110, 1003, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 103.0, 1003.0'],
  ['ar', 'many', '11~26, 111, 1011, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 111.0, 1011.0'],
  ['ar', 'other', '100~102, 200~202, 300~302, 400~402, 500~502, 600, 1000, 10000, 100000, 1000000'],
  ['ar', 'other', '0.1~0.9, 1.1~1.7, 10.1, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0'],
  ['ru', 'one', '1, 21, 31, 41, 51, 61, 71, 81, 101, 1001'],
  ['ru', 'few', '2~4, 22~24, 32~34, 42~44, 52~54, 62, 102, 1002'],
  ['ru', 'many', '0, 5~19, 100, 1000, 10000, 100000, 1000000'],
  ['ru', 'other', '0.0~1.5, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0'],
  ['ja', 'other', '0~15, 100, 1000, 10000, 100000, 1000000'],
  ['ja', 'other', '0.0~1.5, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0'],
])('plural in %s chooses %s for %s, as CLDR does', (locale, form, samples) => {
  const texts = samplesOf(samples)
  const chosen = texts.map((n) => fill(locale, `{{ n | plural: ${forms} }}`, { n }))
  expect(texts.filter((_, at) => chosen[at] !== form)).toEqual([])
})

test.each([
  ['en', '{{ n | plural: one: "# file", other: "# files" }}', { n: 1 }, '1 file'],
  ['en', '{{ n | plural: one: "# file", other: "# files" }}', { n: 12345 }, '12,345 files'],
  ['de', '{{ n | plural: one: "# Datei", other: "# Dateien" }}', { n: 12345 }, '12.345 Dateien'],
  ['pl', '{{ n | plural: one: "plik", other: "plików" }}', { n: 3 }, 'plików'],
  ['en', '{{ n | plural: other: "No. ###" }}', { n: 7 }, 'No. #7'],
  ['en', '{{ n | plural: ordinal: true, one: "#st", two: "#nd", few: "#rd", other: "#th" }}', { n: 22 }, '22nd'],
  ['de', '{{ n | number }}', { n: 1234567.891 }, '1.234.567,891'],
  ['hi', '{{ n | number }}', { n: 1234567 }, '12,34,567'],
  ['en', '{{ n | number: digits: 2 }}', { n: 2 }, '2.00'],
  ['en', '{{ n | number }}', { n: '1.50' }, '1.50'],
  ['en', '{{ n | number }}', { n: '123456789012345678901234567890' }, '123,456,789,012,345,678,901,234,567,890'],
  ['en', '{{ n | number: style: "percent" }}', { n: 0.25 }, '25%'],
  ['en', '{{ n | number: style: "compact" }}', { n: 1_200_000 }, '1.2M'],
  ['de', '{{ n | currency: "EUR" }}', { n: 1234.5 }, '1.234,50\u00a0€'],
  ['ja', '{{ n | currency: "jpy" }}', { n: 1234 }, '￥1,234'],
  ['en', '{{ n | currency: code, digits: 0 }}', { n: 1234.5, code: 'USD' }, '$1,235'],
  ['en', '{{ items | list }}', { items: ['a', 'b', 'c'] }, 'a, b, and c'],
  ['de', '{{ items | list: "or" }}', { items: ['a', 2] }, 'a oder 2'],
])('in %s %s of %j is %s', (locale, template, variables, expected) => {
  expect(fill(locale, template, variables)).toBe(expected)
})

const at = '2026-11-21T22:30:00Z'

test.each([
  ['en', '{{ at | date_time }}', at, 'UTC', 'Nov 21, 2026, 10:30 PM'],
  ['de', '{{ at | date_time: "long" }}', at, 'Europe/Berlin', '21. November 2026 um 23:30'],
  ['ja', '{{ at | date_time: "full", time: "none" }}', at, 'Asia/Tokyo', '2026年11月22日日曜日'],
  ['en', '{{ at | date_time: "none", zone: "America/New_York" }}', at, 'Asia/Tokyo', '5:30 PM'],
  ['en', '{{ at | date_time: "short" }}', '2026-11-21', 'America/Los_Angeles', '11/21/26'],
  ['en', '{{ at | date_time: "short" }}', '2026-11-21 09:05', 'America/Los_Angeles', '11/21/26, 9:05 AM'],
  ['en', '{{ at | date_time: "short" }}', Date.parse(at) / 1000, 'UTC', '11/21/26, 10:30 PM'],
])('in %s %s of %s in %s is %s', (locale, template, value, timeZone, expected) => {
  // Versions of ICU differ in the joining word and in the space before AM.
  const text = fill(locale, template, { at: value }, timeZone)
  expect(text.replace(' at ', ', ').replaceAll('\u202f', ' ')).toBe(expected)
})

test.each([
  ['{{ n | plural: one: "a", othr: "b" }}', 'the filter plural requires the form other'],
  [
    '{{ n | plural: one: "a", same: "c", other: "b" }}',
    'knows zero, one, two, few, many, other, ordinal, and not same',
  ],
  ['{{ s | number }}', 'the filter number takes a number'],
  ['{{ n | number: digits: 99 }}', 'takes 0 to 20 digits'],
  ['{{ n | number: style: "spellout" }}', 'the style of a number is decimal, percent, compact'],
  ['{{ n | currency }}', 'takes a code of ISO 4217'],
  ['{{ n | currency: "EURO" }}', 'takes a code of ISO 4217'],
  ['{{ s | date_time }}', 'takes a time in ISO 8601'],
  ['{{ n | date_time: "yyyy" }}', 'takes full, long, medium, short, none'],
  ['{{ n | date_time: zone: "Mars/Base" }}', 'one of the IANA database'],
  ['{{ huge | date_time }}', 'takes a time in ISO 8601'],
  ['{{ s | list }}', 'the filter list takes a list'],
  ['{{ objects | list }}', 'an object is no text'],
  ['{{ n | plural: other: objects }}', 'an object is no text'],
  ['{{ n | plural: ordinal: "yes", other: "a" }}', 'ordinal of the filter plural is true or false'],
  ['{{ n | plural: "a", other: "b" }}', 'the filter plural takes no argument without a name'],
  ['{{ n | number: 2 }}', 'the filter number takes no argument without a name'],
  ['{{ n | currency: "EUR", 2 }}', 'the filter currency takes one argument without a name'],
  ['{{ "2026-02-30" | date_time }}', 'takes a time in ISO 8601'],
  ['{{ "2026-02-29T10:00:00Z" | date_time }}', 'takes a time in ISO 8601'],
  ['{{ "2026-13-01" | date_time }}', 'takes a time in ISO 8601'],
])('%s is refused: %s', (template, fault) => {
  const variables = { n: 1, s: 'x', huge: 1e300, objects: [{}] }
  expect(() => fill('en', template, variables)).toThrow(fault)
})

test.each([
  '{{ n | plural: one: "a" }}',
  '{% assign x = n | plural: few: "a" %}',
  '{% if true %}{% echo n | plural: one: "a" %}{% endif %}',
])('%s is refused before it is rendered: the form other is missing', (template) => {
  expect(() => checkTemplate('text', template)).toThrow('the filter plural requires the form other')
})

test('a number of a million digits is refused at once', () => {
  expect(() => fill('en', '{{ n | number }}', { n: '9'.repeat(1_000_000) })).toThrow('takes a number')
})

test('a plural that would create too much text is refused', () => {
  const template = `{% for i in (1..200) %}{{ n | plural: other: "${'#'.repeat(999)}" }}{% endfor %}`
  expect(() => fill('en', template, { n: '123456789012345678901234567890' })).toThrow('it creates too much text')
})

test('a list that would create too much text is refused', () => {
  const items = Array.from({ length: 1000 }, () => 'x'.repeat(100))
  const template = '{% for i in (1..20) %}{{ items | list }}{% endfor %}'
  const render = () => fillTemplate('text', template, { items }, { limitMs })
  expect(render).toThrow('it creates too much text')
})

test('in HTML the output of these filters is escaped', () => {
  const text = fillTemplate('html', '{{ n | plural: other: "<b>#</b>" }}', { n: 1 }, { limitMs })
  expect(text).toBe('&lt;b&gt;1&lt;/b&gt;')
})
