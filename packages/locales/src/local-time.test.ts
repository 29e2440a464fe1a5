import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { momentOf, nextClockTime, quietUntil } from './local-time.ts'

const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16))
const at = (text: string) => Date.parse(`${text}Z`)

test.each([
  ['a usual day', '2026-11-21T09:30', 'Europe/Berlin', '2026-11-21T08:30'],
  ['a zone with half an hour', '2026-11-21T09:30', 'Asia/Kolkata', '2026-11-21T04:00'],
  ['a zone with three quarters', '2026-11-21T09:30', 'Asia/Kathmandu', '2026-11-21T03:45'],
  ['another date than in UTC', '2026-11-21T00:30', 'Pacific/Kiritimati', '2026-11-20T10:30'],
  ['skipped: as much later as clocks are set forward', '2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30'],
  ['skipped by half an hour', '2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:45'],
  ['shown twice: the first', '2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30'],
  ['shown twice in New York: the first', '2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30'],
])('a local time is one moment: %s', (_case, local, zone, moment) => {
  expect(iso(momentOf(local, zone))).toBe(moment)
})

const night = { start: '22:00', end: '08:00' }
const noon = { start: '12:00', end: '13:30' }

test.each([
  ['before', '2026-11-20T20:59', night, 'Europe/Berlin', undefined],
  ['from the first minute', '2026-11-20T21:00', night, 'Europe/Berlin', '2026-11-21T07:00'],
  ['after midnight', '2026-11-21T03:00', night, 'Europe/Berlin', '2026-11-21T07:00'],
  ['to the last minute', '2026-11-21T06:59', night, 'Europe/Berlin', '2026-11-21T07:00'],
  ['after', '2026-11-21T07:00', night, 'Europe/Berlin', undefined],
  ['within a day', '2026-11-21T06:30', noon, 'Asia/Kolkata', '2026-11-21T08:00'],
  ['within a day, outside', '2026-11-21T08:00', noon, 'Asia/Kolkata', undefined],
  ['the night is an hour shorter', '2026-03-28T23:00', night, 'Europe/Berlin', '2026-03-29T06:00'],
  ['the night is an hour longer', '2026-10-24T22:00', night, 'Europe/Berlin', '2026-10-25T07:00'],
  ['the end is skipped', '2026-03-29T00:30', { start: '22:00', end: '02:30' }, 'Europe/Berlin', '2026-03-29T01:00'],
  ['the end comes twice', '2026-10-24T23:30', { start: '22:00', end: '02:30' }, 'Europe/Berlin', '2026-10-25T00:30'],
  ['between both ends', '2026-10-25T00:45', { start: '22:00', end: '02:30' }, 'Europe/Berlin', undefined],
  ['until the second end', '2026-10-25T01:10', { start: '22:00', end: '02:30' }, 'Europe/Berlin', '2026-10-25T01:30'],
  ['the start is skipped', '2026-03-29T01:00', { start: '02:30', end: '08:00' }, 'Europe/Berlin', '2026-03-29T06:00'],
  [
    'all between end and start is skipped',
    '2026-03-08T03:57',
    { start: '02:15', end: '02:00' },
    'America/New_York',
    '2026-03-09T06:00',
  ],
  [
    'half an hour skipped',
    '2026-10-03T15:00',
    { start: '22:00', end: '02:15' },
    'Australia/Lord_Howe',
    '2026-10-03T15:30',
  ],
])('quiet hours end when the clocks show their end: %s', (_case, now, hours, zone, end) => {
  expect(iso(quietUntil(at(now), hours, zone))).toBe(end)
})

test('quiet hours end at the first moment outside of them, in any zone at any time', () => {
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'America/St_Johns',
  )
  const clock = fc.integer({ min: 0, max: 95 }).map((quarter) => {
    const pad = (part: number) => String(part).padStart(2, '0')
    return `${pad(Math.floor(quarter / 4))}:${pad((quarter % 4) * 15)}`
  })
  const minute = fc.integer({ min: at('2026-01-01T00:00') / 60_000, max: at('2027-12-31T00:00') / 60_000 })
  fc.assert(
    fc.property(zone, clock, clock, minute, (place, start, end, minutes) => {
      fc.pre(start !== end)
      const ms = minutes * 60_000
      const until = quietUntil(ms, { start, end }, place)
      if (until === undefined) return
      expect(until).toBeGreaterThan(ms)
      expect(quietUntil(until, { start, end }, place)).toBeUndefined()
      expect(quietUntil(until - 1, { start, end }, place)).toBe(until)
    }),
  )
})

test.each([
  ['later on the same day', '2026-11-21T06:00', '09:30', 'Europe/Berlin', undefined, '2026-11-21T08:30'],
  ['the same minute: the next day', '2026-11-21T08:30', '09:30', 'Europe/Berlin', undefined, '2026-11-22T08:30'],
  ['another date than in UTC', '2026-11-20T12:00', '00:30', 'Pacific/Kiritimati', undefined, '2026-11-21T10:30'],
  ['a time that is skipped', '2026-03-28T20:00', '02:30', 'Europe/Berlin', undefined, '2026-03-29T01:00'],
  ['a time that is shown twice', '2026-10-24T20:00', '02:30', 'Europe/Berlin', undefined, '2026-10-25T00:30'],
  ['between both times that are shown', '2026-10-25T01:00', '02:30', 'Europe/Berlin', undefined, '2026-10-26T01:30'],
  ['a day of the week', '2026-11-21T06:00', '09:30', 'UTC', 1, '2026-11-23T09:30'],
  ['the same day of the week, earlier', '2026-11-21T10:00', '09:30', 'UTC', 6, '2026-11-28T09:30'],
  ['a day that the zone skipped', '2011-12-29T12:00', '09:00', 'Pacific/Apia', 5, '2011-12-30T10:00'],
])('the next time of a clock, %s', (_, now, time, zone, weekday, next) => {
  expect(iso(nextClockTime(at(now), time, zone, weekday))).toBe(next)
})
