import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { fillTemplate } from './fill-template.ts'

/** A busy machine may need the 50 ms of the usual limit for itself. */
const limitMs = 60_000

const fill = (template: string, at: unknown, timeZone: string) =>
  fillTemplate('text', template, { at }, { format: { locale: 'de', timeZone }, limitMs })

const at = '2026-12-21T23:30:00Z'
const berlin = 'Europe/Berlin'
const date = '{{ at | date: "%d %B %H:%M" }}'

test.each([
  at,
  '2026-12-22T02:30:00+03:00',
  '2026-12-21 23:30:00.5+00',
  'Mon, 21 Dec 2026 23:30:00 GMT',
  '21 Dec 2026 18:30 EST',
  'Mon Dec 21 2026 23:30:00 GMT+0000 (Coordinated Universal Time)',
  Date.parse(at) / 1000,
  String(Date.parse(at) / 1000),
])('%p is a moment, which date shows in the zone of the recipient', (value) => {
  expect(fill(date, value, berlin)).toBe('22 December 00:30')
  expect(fill(date, value, 'America/Los_Angeles')).toBe('21 December 15:30')
})

test.each([
  ['2026-12-21', '00:00'],
  ['2026-12-21T09:05', '09:05'],
  ['2026-12-21 09:05:00', '09:05'],
  ['December 21, 2026', '00:00'],
  ['21 Dec 2026 9:05 am', '09:05'],
])('%s has no zone, so no zone moves it', (value, time) => {
  for (const zone of [berlin, 'America/Los_Angeles', 'UTC']) expect(fill(date, value, zone)).toBe(`21 December ${time}`)
})

test.each([
  ['{{ at | date_to_xmlschema }}', '2026-12-22T00:30:00+01:00'],
  ['{{ at | date_to_rfc822 }}', 'Tue, 22 Dec 2026 00:30:00 +0100'],
  ['{{ at | date_to_string }}', '22 Dec 2026'],
  ['{{ at | date_to_long_string: "ordinal", "US" }}', 'December 22nd, 2026'],
  ['{{ at | date }}', 'Tuesday, December 22, 2026 at 12:30 am +0100'],
  ['{{ at | date: "%H:%M", "Asia/Tokyo" }}', '08:30'],
  ['{{ "2026-12-21" | date: "%d %H:%M", "America/New_York" }}', '20 19:00'],
  // Stored templates may have such zones.
  ['{{ at | date: "%H:%M", "-05:30" }} {{ at | date: "%H:%M", "PST" }}', '18:00 15:30'],
  ['{{ "now" | date: "%z", "Asia/Kolkata" }}', '+0530'],
  ['{{ at | date: "%c, %x, %X, %%c" }}', '12/22/2026, 12:30:00 AM, 12/22/2026, 12:30:00 AM, %c'],
  ['{{ at | date: "%Z" }}', '+0100'],
  ['{{ "soon" | date: "%d" }}', 'soon'],
])('%s is shown in the zone of the recipient unless it names another, and in English', (template, expected) => {
  expect(fill(template, at, berlin)).toBe(expected)
})

test.each(['now', 'today'])('%s is shown in the zone of the recipient', (value) => {
  expect(fill('{{ at | date: "%z" }}', value, 'Asia/Kolkata')).toBe('+0530')
})

test('date refuses a zone that does not exist', () => {
  expect(() => fill('{{ at | date: "%H:%M", "Mars/Base" }}', at, berlin)).toThrow('one of the IANA database')
})

test('neither the time zone nor the language of the process changes a date', async () => {
  const template = `{{ at | date: "%A %d %b %H:%M, %c" }} {{ "2026-12-21" | date: "%d %B" }} {{ "2026-12-21 09:05" | date: "%X" }}`
  const source = `
    import { fillTemplate } from '${join(import.meta.dirname, 'fill-template.ts')}'
    const options = { format: { locale: 'de', timeZone: '${berlin}' }, limitMs: ${limitMs} }
    process.stdout.write(fillTemplate('text', process.argv[1], { at: '${at}' }, options))`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source, template], {
    env: { TZ: 'America/New_York', LANG: 'fr_FR.UTF-8' },
  })
  expect(stdout).toBe('Tuesday 22 Dec 00:30, 12/22/2026, 12:30:00 AM 21 December 9:05:00 AM')
})
