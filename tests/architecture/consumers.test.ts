import { expect, test } from '@jest/globals'
import { activityLanes, serviceNames, streams } from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { consumersOf } from '../../scripts/service-declarations.ts'

const all = (
  await Promise.all(
    serviceNames.map(async (service) => (await consumersOf(service)).map((consumer) => ({ service, ...consumer }))),
  )
).flat()

test('there are consumers, and every one hears an event of the contracts', () => {
  expect(all.length).toBeGreaterThan(0)
  for (const { event } of all) expect([...allEvents().keys()]).toContain(event)
})

test('a durable begins with the name of its service, so that two services never share one', () => {
  expect(all.filter(({ service, durable }) => !durable.startsWith(`${service}-`))).toEqual([])
})

test('a durable is declared once, with one filter: under another one it would hear the wrong messages', () => {
  const durables = all.map(({ durable }) => durable)
  expect(durables.filter((durable, index) => durables.indexOf(durable) !== index)).toEqual([])
  for (const { filter } of all) expect(filter).toMatch(/^[\w*-]+(\.[\w*-]+)+$/)
})

test('a consumer filters by fields of the subject', () => {
  for (const { event, where } of all) {
    const { subject } = allEvents().get(event)!
    for (const field of Object.keys(where)) expect(subject).toContain(`{${field}}`)
  }
})

test('the gateway hears the facts of each lane that the activity shows, and of codes for their usage alone', () => {
  const heard = all.filter(({ service, event }) => service === 'gateway' && event === 'notificationChanged')
  expect(heard.map(({ where }) => where.lane)).toEqual([...activityLanes, 'otp'])
  expect(heard.at(-1)?.durable).toBe('gateway-usage-otp')
})

test('every subject begins with what the stream of its publisher holds', () => {
  for (const { publisher, subject } of allEvents().values()) {
    const held = streams[publisher].subjects.some((pattern) =>
      pattern.endsWith('.>') ? subject.startsWith(pattern.slice(0, -1)) : subject === pattern,
    )
    expect([subject, held]).toEqual([subject, true])
  }
})

test('no two streams hold the same subjects: JetStream would refuse the second', () => {
  const subjects = Object.values(streams).flatMap(({ subjects: held }) =>
    held.map((subject) => subject.replace(/>$/, '')),
  )
  for (const one of subjects) {
    expect(subjects.filter((other) => other !== one && (other.startsWith(one) || one.startsWith(other)))).toEqual([])
  }
})
