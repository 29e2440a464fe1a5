import { expect, test } from '@jest/globals'
import { listActivity, listDomains, listTemplates, newId } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { type ListOrder, type ListRequest, orderById, page } from './page.ts'

const tenant_id = newId('ten')
const rows = Array.from({ length: 5 }, () => ({ id: newId('dom') })).toReversed()
const order = orderById('dom')

const readFrom = (list: readonly { id: string }[]) => async (after: string | undefined, limit: number) =>
  list.filter(({ id }) => after === undefined || id < after).slice(0, limit)

function list(cursor: string | undefined, limit = 2, request: Partial<ListRequest> = {}) {
  const whole: ListRequest = { contract: listDomains, principal: { tenant_id }, query: { limit, cursor }, ...request }
  return page(whole, order, readFrom(rows))
}

async function refusal(attempt: Promise<unknown>): Promise<Problem> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

const expectForeign = async (attempt: Promise<unknown>) =>
  expect((await refusal(attempt)).toBody()).toMatchObject({
    status: 422,
    code: 'validation_failed',
    errors: [
      { path: 'cursor', message: 'must be the next_cursor of an earlier page of this list, with the same filters' },
    ],
  })

test.each([1, 2, 3, 4, 5, 100])(
  'pages of %i cover every row once, in order, and only the last one has no next_cursor',
  async (limit) => {
    const seen: string[] = []
    let cursor: string | null | undefined
    while (cursor !== null) {
      const { items, next_cursor } = await list(cursor, limit)
      expect(items.length).toBeGreaterThan(0)
      expect(items.length).toBeLessThanOrEqual(limit)
      seen.push(...items.map(({ id }) => id))
      cursor = next_cursor
    }
    expect(seen).toEqual(rows.map(({ id }) => id))
  },
)

test('a page that has no room for all rows continues after the last one that it has', async () => {
  const request = { contract: listDomains, principal: { tenant_id }, query: { limit: 3 } }
  const cut = await page(request, order, async () => ({ rows: rows.slice(0, 1), isCut: true }))
  expect(cut.items).toEqual(rows.slice(0, 1))
  expect((await list(cut.next_cursor!, 1)).items).toEqual(rows.slice(1, 2))
  const whole = await page(request, order, async () => ({ rows: rows.slice(0, 1), isCut: false }))
  expect(whole.next_cursor).toBeNull()
})

test('inserts and deletes between two pages neither repeat nor hide other rows', async () => {
  const { next_cursor } = await list(undefined)
  const changed = [{ id: newId('dom') }, ...rows.slice(2)]
  const request = { contract: listDomains, principal: { tenant_id }, query: { limit: 3, cursor: next_cursor! } }
  const { items } = await page(request, order, readFrom(changed))
  expect(items).toEqual(rows.slice(2))
})

test('a cursor continues only the list, the path and the tenant that it was issued for', async () => {
  const cursor = (await list(undefined)).next_cursor!
  await expectForeign(list(cursor, 2, { contract: listTemplates }))
  await expectForeign(list(cursor, 2, { principal: { tenant_id: newId('ten') } }))
  const nested = { ...listDomains, path: '/api/v1/domains/:id/checks' } as const
  const first = { contract: nested, params: { id: 'a' }, principal: { tenant_id }, query: { limit: 2 } }
  const inner = await page(first, order, readFrom(rows))
  const other = { ...first, params: { id: 'b' }, query: { limit: 2, cursor: inner.next_cursor! } }
  await expectForeign(page(other, order, readFrom(rows)))
  expect((await page({ ...other, params: { id: 'a' } }, order, readFrom(rows))).items).toEqual(rows.slice(2, 4))
})

test('a cursor continues only the filters that it was issued for, with any limit and page', async () => {
  const filtered = (query: object) => list(undefined, 2, { query: { limit: 2, ...query } })
  const { next_cursor: cursor } = await filtered({ channel: 'sms', status: 'failed' })
  const following = (query: object) => filtered({ cursor, ...query })
  await expectForeign(list(cursor!))
  await expectForeign(following({ channel: 'sms' }))
  await expectForeign(following({ channel: 'sms', status: 'delivered' }))
  await expectForeign(following({ channel: 'failed', status: 'sms' }))
  await expectForeign(following({ channel: 'sms', status: 'failed', mode: 'live' }))
  const same = { status: 'failed', channel: 'sms', mode: undefined, limit: 1, page: 3 }
  expect((await following(same)).items).toEqual(rows.slice(2, 3))
})

test('a cursor does not show the position, and a changed one is refused', async () => {
  const cursor = (await list(undefined)).next_cursor!
  expect(cursor).not.toContain(rows[1]!.id)
  expect(cursor).toMatch(/^[\w-]{1,200}$/)
  for (let at = 0; at < cursor.length; at++) {
    const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    if (Buffer.from(changed, 'base64url').equals(Buffer.from(cursor, 'base64url'))) continue
    await expectForeign(list(changed))
  }
})

test.each(['', 'x', 'AQ', '%00', newId('dom'), Buffer.from(newId('dom')).toString('base64url'), 'é'.repeat(100)])(
  'a text that is not a cursor of this release is refused: %j',
  (cursor) => expectForeign(list(cursor)),
)

test('an invalid position in a cursor is refused before the statement', async () => {
  const day = z.object({ day: z.iso.date() })
  const request = { contract: listActivity, principal: { tenant_id }, query: { limit: 1 } }
  const loose: ListOrder<unknown, unknown> = { position: z.unknown(), of: () => ({ day: '2026-02-30' }) }
  const { next_cursor } = await page(request, loose, async () => [1, 2])
  const strict: ListOrder<unknown, z.infer<typeof day>> = { position: day, of: () => ({ day: '2026-02-28' }) }
  const following = { ...request, query: { limit: 1, cursor: next_cursor! } }
  await expectForeign(page(following, strict, () => Promise.reject(new Error('read'))))
})

test('a position that Postgres cannot store is refused', async () => {
  const request = { contract: listActivity, principal: { tenant_id }, query: { limit: 1 } }
  const byName: ListOrder<unknown, string> = { position: z.string(), of: () => 'a\0' }
  const { next_cursor } = await page(request, byName, async () => [1, 2])
  const following = { ...request, query: { limit: 1, cursor: next_cursor! } }
  await expectForeign(page(following, byName, () => Promise.reject(new Error('read'))))
})
