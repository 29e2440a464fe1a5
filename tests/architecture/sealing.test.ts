import { expect, test } from '@jest/globals'
import { allEvents } from '@notify/contracts/catalogue'
import { packages, readText, services, sourcesOf } from './sources.ts'

const names = [...allEvents().keys()].join('|')
const prefixes = [...new Set([...allEvents().values()].map(({ subject }) => subject.split('.')[0]))].join('|')
const usesKeyRing = /\.(?:en|de)crypt\(/
const namesEvent = new RegExp(`\\b(?:${names})\\b`)
/** Matches the AAD of an event's content, such as `dispatch.provider.changed|…`. */
const placeOfEvent = new RegExp(`['"\`](?:${prefixes})\\.[\\w.\${}-]+\\|`)

/** Signs that a file encrypts event content itself. */
function faultsOf(text: string): string[] {
  return [
    ...(usesKeyRing.test(text) && namesEvent.test(text) ? ['uses the key ring and an event'] : []),
    ...(placeOfEvent.test(text) ? ['names the place of an event'] : []),
  ]
}

test('content of events is sealed and opened in packages/messaging alone', () => {
  const files = [
    ...services.map((name) => `services/${name}`),
    ...packages.filter((name) => name !== 'contracts').map((name) => `packages/${name}`),
  ].flatMap(sourcesOf)
  expect(files.filter((file) => usesKeyRing.test(readText(file))).length).toBeGreaterThan(5)
  expect(files.map((file) => [file, ...faultsOf(readText(file))]).filter(([, ...faults]) => faults.length > 0)).toEqual(
    [],
  )
})

test.each([
  ['enqueueEvents(run, messageReceived, [{ event: { content: keyRing.encrypt(text, place) } }])', 1],
  ['const place = `callbacks.message.received|` + id', 1],
  ["keyRing.decrypt(sealed, ['dispatch.provider.changed|', id].join())", 1],
  ['keyRing.encrypt(text, `notifications.metadata|` + id)', 0],
  ['sealEvent(keyRing, messageReceived, payload, content)', 0],
])('%s', (text, faults) => {
  expect(faultsOf(text)).toHaveLength(faults)
})
