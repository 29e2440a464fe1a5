import { expect, test } from '@jest/globals'
import { requireServed, WrongCell, wrongCell } from './other-cells.ts'

const quick = { mostMs: 60, everyMs: 5 }
const here = { moved_to: null, arriving: false }
const arriving = { moved_to: null, arriving: true }

test('a request waits until its tenant has arrived', async () => {
  const states = [arriving, here]
  expect(await requireServed(arriving, async () => states.shift(), { mostMs: 60_000, everyMs: 5 })).toEqual(here)
  expect(states).toEqual([])
})

test('a tenant that does not arrive in time is away for the moment', async () => {
  const waiting = requireServed(arriving, async () => arriving, quick)
  await expect(waiting).rejects.toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } })
})

test('a tenant that moved away is refused with the address of the same resource', async () => {
  const moved = requireServed({ moved_to: 'b', arriving: false }, async () => undefined, quick)
  const error = (await moved.catch((thrown: unknown) => thrown)) as WrongCell
  expect(error).toBeInstanceOf(WrongCell)
  const request = { url: '/api/v1/me?x=1' }
  expect(wrongCell(error, request, new Map([['b', 'https://b.example']]))).toMatchObject({
    status: 421,
    headers: { Location: 'https://b.example/api/v1/me?x=1' },
  })
  expect(wrongCell(error, request, new Map()).headers).toEqual({})
})
