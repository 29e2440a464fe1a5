import { expect, test } from '@jest/globals'
import { type InboxAddress, newId } from '@notify/contracts'
import { currentTenant } from '@notify/service-kit'
import { createReplays } from './replays.ts'

const addressOf = (inbox_key: string): InboxAddress => ({
  tenant_id: newId('ten'),
  application_id: newId('app'),
  inbox_key,
})
const [slow, quick] = [addressOf('slow'), addressOf('quick')]

test('however many streams of one tenant wait for their events, those of another are read at once, for that tenant', async () => {
  const stalled = Promise.withResolvers<[]>()
  const readFor: Record<string, (string | undefined)[]> = { slow: [], quick: [] }
  const read = createReplays((key) => {
    readFor[key]!.push(currentTenant())
    return key === 'slow' ? stalled.promise : Promise.resolve([])
  })
  const waiting = Array.from({ length: 10 }, () => read(slow, 0))
  await Promise.all([read(quick, 0), read(quick, 0), read(quick, 0)])
  expect([readFor.slow!.length, readFor.quick]).toEqual([2, Array(3).fill(quick.tenant_id)])
  stalled.resolve([])
  await Promise.all(waiting)
  expect(readFor.slow).toEqual(Array(10).fill(slow.tenant_id))
})
