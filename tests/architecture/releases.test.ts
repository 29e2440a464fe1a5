import { expect, test } from '@jest/globals'
import { Principal } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { readPayload } from '@notify/messaging'
import { z } from 'zod'
import { currentRelease, type EventFixture, fixtureFiles, keptReleases } from '../../scripts/contract-fixtures.ts'
import { samplesOf } from '../../scripts/json-samples.ts'
import { openFixture, sealedFixtures } from '../../scripts/sealed-fixtures.ts'
import { compareEvents, eventOn } from './compare-releases.ts'
import { readText } from './sources.ts'

const current = currentRelease()
const kept = keptReleases()
const releases = kept.map((release) => [release.version, release] as const)

test('the files of this version are those that its contracts make', () => {
  for (const [path, text] of Object.entries(fixtureFiles())) expect(readText(path)).toBe(text)
  expect(kept.map(({ version }) => version)).toContain(current.version)
})

test('every event of this version has samples, which together have every value of every closed list', () => {
  expect(Object.keys(current.events)).toEqual([...allEvents().keys()].sort())
  const statuses = current.events.notificationChanged!.samples.map((sample) => (sample as { status: string }).status)
  expect(new Set(statuses).size).toBe(7)
})

test.each(releases)('the events of release %s are read by this one, with all that they say', (_version, release) => {
  for (const { subject, samples } of Object.values(release.events)) {
    const contract = [...allEvents().values()].find((event) => event.subject === subject)!
    for (const event of samples) expect(readPayload(contract, { event })).toMatchObject(event as object)
  }
})

test.each(kept.flatMap(({ version, sealed }) => sealed.map((one) => [version, one.subject, one] as const)))(
  'an event that release %s sealed on %s is opened by this one',
  (_version, _subject, sealed) => {
    expect(openFixture(sealed)).toEqual(sealed.content)
  },
)

test('a sealed event is kept as it is while it fits its contract, and sealed again when it does not', () => {
  const [first, ...others] = currentRelease().sealed
  expect(sealedFixtures([first!, ...others])).toEqual([first, ...others])
  const { content } = others[0]!.event as { content: string }
  const stranger = { ...first!, event: { ...(first!.event as object), content } }
  const [again, ...rest] = sealedFixtures([stranger, ...others])
  expect(rest).toEqual(others)
  expect(again).toMatchObject({ subject: first!.subject, content: first!.content })
  expect(openFixture(again!)).toEqual(first!.content)
})

test('another way of sealing is found', () => {
  const sealedBy = (...aad: string[]) => {
    const { parcelSent } = before
    return { parcelSent: { ...parcelSent!, sealed: { field: 'note', aad } } }
  }
  const fault = ['parcelSent is sealed otherwise']
  expect(compareEvents(sealedBy('id'), sealedBy('id'))).toEqual([])
  expect(compareEvents(sealedBy('id'), sealedBy('id', 'lane'))).toEqual(fault)
  expect(compareEvents(sealedBy('id'), before)).toEqual(fault)
  expect(compareEvents(before, sealedBy('id'))).toEqual(fault)
})

test.each(releases)('the principals of release %s are read, unchanged, by this one', (_version, release) => {
  for (const principal of release.principals) expect(Principal.parse(principal)).toEqual(principal)
})

test.each(releases)('since release %s contracts have only grown', (_version, release) => {
  expect(compareEvents(release.events, current.events)).toEqual([])
})

test.each(releases)(
  'since release %s bodies of POSTs have the same defaults: another one would answer repetitions from before it with 409',
  (_version, release) => {
    for (const [name, defaults] of Object.entries(release.defaults))
      expect({ [name]: current.defaults[name] ?? defaults }).toEqual({ [name]: defaults })
  },
)

test('the defaults of a body are found at any depth', () => {
  const { createNotification, createTopic } = current.defaults
  expect(createNotification).toMatchObject({ priority: 'transactional' })
  expect(createTopic).toMatchObject({ description: '', kind: 'on', translations: {} })
  expect(Object.keys(current.defaults.createApplication!)).toContain('brand')
})

test.each(releases)(
  'an event of this version fits the rules of release %s, but for values that it cannot know',
  (_version, release) => {
    for (const { subject, schema } of Object.values(release.events)) {
      const reader = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
      for (const event of eventOn(subject, current.events)?.samples ?? []) {
        const issues = reader.safeParse(event).error?.issues ?? []
        expect(issues.filter(({ code }) => code !== 'invalid_value')).toEqual([])
      }
    }
  },
)

/** A release with one event of this payload. */
function release(payload: z.ZodType, subject = 'dispatch.parcel.sent'): Record<string, EventFixture> {
  const schema = payload.toJSONSchema({ io: 'input' }) as EventFixture['schema']
  return { parcelSent: { publisher: 'dispatch', subject, schema, samples: samplesOf(schema) } }
}
const parcel = { id: z.string(), lane: z.enum(['a', 'b']), note: z.string().optional(), tags: z.array(z.string()) }
const before = release(z.object(parcel))

test.each<[string, Record<string, EventFixture>]>([
  ['parcelSent: nothing reads dispatch.parcel.sent any more', {}],
  ['parcelSent: nothing reads dispatch.parcel.sent any more', release(z.object(parcel), 'dispatch.parcel.posted')],
  ['parcelSent.note is gone', release(z.object(parcel).omit({ note: true }))],
  ['parcelSent.note has become required', release(z.object({ ...parcel, note: z.string() }))],
  ['parcelSent.weight has become required', release(z.object({ ...parcel, weight: z.number() }))],
  ['parcelSent.id is not required any more', release(z.object({ ...parcel, id: z.string().optional() }))],
  ['parcelSent.id has another type', release(z.object({ ...parcel, id: z.number() }))],
  ['parcelSent.id has another type', release(z.object({ ...parcel, id: z.string().nullable() }))],
  ['parcelSent.id has another maxLength', release(z.object({ ...parcel, id: z.string().max(5) }))],
  ['parcelSent.tags[] has another type', release(z.object({ ...parcel, tags: z.array(z.number()) }))],
  ['parcelSent.lane has no "b" any more', release(z.object({ ...parcel, lane: z.enum(['a', 'c']) }))],
  ['parcelSent.lane is a closed list in one release alone', release(z.object({ ...parcel, lane: z.string() }))],
])('a change that a neighbour cannot read is found: %s', (fault, after) => {
  expect(compareEvents(before, after)).toEqual([fault])
})

test('optional fields and values may be added', () => {
  const after = release(z.object({ ...parcel, lane: z.enum(['a', 'b', 'c']), weight: z.number().optional() }))
  expect(compareEvents(before, after)).toEqual([])
})
