import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import type { AcceptResult } from '@notify/contracts'
import { createInternalClient, Problem } from '@notify/service-kit'
import { requestsFor, startStubDispatch } from '../../tests/stub-dispatch.ts'
import type { Context } from '../context.ts'
import { type AcceptRequest, callDispatch } from './call-dispatch.ts'

const accepted: AcceptResult = { body: '{}' }

/** A dispatch that responds to some calls, chosen by their items, and resets the others. */
async function dispatchThat(answers: (ids: string[]) => boolean) {
  const stub = await startStubDispatch((ids) => (answers(ids) ? ids.map(() => accepted) : 'reset'))
  return { ...stub, accept: acceptOver(stub.url) }
}

function acceptOver(url: string) {
  const context = { signPrincipal: async () => 'signed', metrics: { acceptRepeated: () => {} } } as unknown as Context
  const dispatch = createInternalClient(url)
  return (requests: AcceptRequest[]) => callDispatch(context, requests, { dispatch, defers: false })
}

test('one request that brings dispatch to a stop takes its neighbours down once only', async () => {
  const requests = requestsFor(16)
  const bad = requests[5]!.item.notification_id
  const { sizes, accept } = await dispatchThat((ids) => ids.every((id) => id !== bad))
  const results = await accept(requests)
  expect(results.map((result) => 'body' in result)).toEqual(requests.map((_one, index) => index !== 5))
  expect(results[5]).toBeInstanceOf(Problem)
  expect(sizes.filter((size) => size >= 8)).toEqual([16, 8, 8])
})

test('a call that never left is repeated whole', async () => {
  const { sizes, server, port, accept } = await dispatchThat(() => true)
  server.close()
  await once(server, 'close')
  const results = accept(requestsFor(4, 8000))
  server.listen(port, '127.0.0.1')
  expect(await results).toEqual(Array(4).fill(accepted))
  expect(sizes).toEqual([4])
})

test('a dispatch that never answers costs the caller no more than its patience', async () => {
  const { url } = await startStubDispatch(() => 'silence')
  const started = performance.now()
  const results = await acceptOver(url)(requestsFor(8, 1500)).catch((error: Error) => [error])
  expect(results.every((result) => result instanceof Problem)).toBe(true)
  expect(performance.now() - started).toBeLessThan(8000)
})
