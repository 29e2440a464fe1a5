import { expect, test } from '@jest/globals'
import type { Bus } from './connect.ts'
import { hasRestarted, joinOrigins, originOf, type StreamOrigin } from './stream-origin.ts'

const connectedTo = (server_name: string, server_id: string) =>
  ({ connection: { info: { server_name, server_id } } }) as Bus

test('a restarted single server is another origin', () => {
  const before = originOf(connectedTo('nats', 'A'), {})
  expect(hasRestarted(before, originOf(connectedTo('nats', 'A'), {}))).toBe(false)
  expect(hasRestarted(before, originOf(connectedTo('nats', 'B'), {}))).toBe(true)
})

const led = (leader: string, leader_since?: string) => ({
  cluster: { leader, ...(leader_since ? { leader_since } : {}) },
})

test('in a cluster the leader of the stream counts, whichever server a process is connected to', () => {
  const one = originOf(connectedTo('n1', 'A'), led('n1'))
  const other = originOf(connectedTo('n2', 'B'), led('n1'))
  expect(one).toEqual({ leader: 'n1', server_id: 'A' })
  expect(other).toEqual({ leader: 'n1' })
  expect([hasRestarted(one, other), hasRestarted(other, one)]).toEqual([false, false])
  expect(hasRestarted(one, originOf(connectedTo('n2', 'B'), led('n2')))).toBe(true)
})

test('a re-elected leader is another origin, if the server reports the time of the election', () => {
  const first = originOf(connectedTo('n2', 'B'), led('n1', '2026-11-01T00:00:00Z'))
  const second = originOf(connectedTo('n2', 'B'), led('n1', '2026-11-02T00:00:00Z'))
  expect(hasRestarted(first, second)).toBe(true)
})

test('an incomplete observation removes nothing that is known of the same origin', () => {
  const known: StreamOrigin = { leader: 'n1', server_id: 'A' }
  expect(joinOrigins(known, { leader: 'n1' })).toEqual(known)
  expect(joinOrigins(known, { leader: 'n1', server_id: 'B' })).toEqual({ leader: 'n1', server_id: 'B' })
  expect(joinOrigins(known, { leader: 'n2' })).toEqual({ leader: 'n2' })
  expect(joinOrigins(null, known)).toEqual(known)
})
