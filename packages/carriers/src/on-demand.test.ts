import { expect, test } from '@jest/globals'
import { kinds } from './kinds.ts'
import { onDemand } from './on-demand.ts'
import type { SenderDefinition, SenderOptions } from './sender.ts'
import { sendingCarriers } from './sending.ts'
import { accepted } from './verdict.ts'

type Pigeon = SenderDefinition<object, object, object>
const account = { id: 'prov_1', revision: 1, credentials: {} }
const message = { notificationId: 'notif_1', attemptId: 'att_1', mode: 'live', traceparent: undefined } as const
const options = {} as SenderOptions<object>

/** A sending half that counts how often it is loaded, opened and closed. */
function countingSender() {
  const counts = { loaded: 0, opened: 0, sent: 0, closed: 0 }
  const definition: Pigeon = {
    createSender() {
      counts.opened++
      return {
        send: async () => accepted(String(++counts.sent)),
        close: () => void counts.closed++,
      }
    },
  }
  const loadSender = async () => {
    counts.loaded++
    return definition
  }
  const sender = onDemand({ loadSender }).createSender(options as never)
  return { counts, sender }
}

test('the first messages load and open a sending half once, however many arrive at the same moment', async () => {
  const { counts, sender } = countingSender()
  expect(counts).toEqual({ loaded: 0, opened: 0, sent: 0, closed: 0 })
  await Promise.all([sender.send(account as never, message as never), sender.send(account as never, message as never)])
  await sender.send(account as never, message as never)
  expect(counts).toMatchObject({ opened: 1, sent: 3 })
  sender.close()
  expect(counts.closed).toBe(1)
})

test('closing an unused sending half does not load it', () => {
  const { counts, sender } = countingSender()
  sender.close()
  expect(counts).toEqual({ loaded: 0, opened: 0, sent: 0, closed: 0 })
})

test.each(Object.entries(kinds))('the declared abilities of %s are those of its sending half', async (name, kind) => {
  const { check, identities, templates } = await kind.loadSender()
  const listed = sendingCarriers[name]!
  expect([!!listed.check, !!listed.identities, !!listed.templates]).toEqual([!!check, !!identities, !!templates])
  const credentials = { region: 'eu-west-1' } as never
  expect(listed.identities?.regionOf?.(credentials)).toBe(identities?.regionOf?.(credentials))
})
