import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { claimPages, endPage, pauseAtPage, postponePage } from '../src/audiences/broadcasts/page-store.ts'
import { countPositions, erasePositions } from '../src/upkeep/erase-positions.ts'
import { db } from './own-schema.ts'

/** A broadcast that has reached a member of a list with these members. */
async function addBroadcast(status: string, { members = [] as string[], reached = 'theirs' } = {}) {
  const [tenantId, listId, id] = [newId('ten'), newId('list'), newId('bc')]
  await db.run(
    `insert into list_members (id, tenant_id, list_id, user_index, content)
     select $1 || '.' || name, $2, $1, name, '' from unnest($3::text[]) as name`,
    [listId, tenantId, members],
  )
  await db.run(
    `insert into broadcasts (id, tenant_id, application_id, mode, list_id, channel, request, total, status, reached)
     values ($1, $2, 'app_1', 'live', $3, 'sms', '', 3, $4, $3 || '.' || $5)`,
    [id, tenantId, listId, status, reached],
  )
  const position = async () => {
    const [row] = await db.run<{ reached: string | null }>('select reached from broadcasts where id = $1', [id])
    return row!.reached?.slice(listId.length + 1) ?? null
  }
  return { person: { tenantId, recipient: 'theirs', index: 'theirs', forgetStops: false }, listId, id, position }
}

test.each([
  ['running', true, null],
  ['running', false, 'last'],
  ['cancelled', false, null],
])('a broadcast (%s) whose last page ended (%s) keeps the position %s', async (status, isLast, expected) => {
  const { id, listId, position } = await addBroadcast('running')
  const page = (await claimPages(db, 100)).find((one) => one.id === id)!
  await db.run('update broadcasts set status = $2 where id = $1', [id, status])
  await endPage(db, page, { reached: `${listId}.last`, accepted: 1, refusals: {}, isLast, intervalMs: 60_000 })
  expect(await position()).toBe(expected)
})

test('a page is ended by the worker that claimed it last, and once', async () => {
  const { id, listId, position } = await addBroadcast('running')
  const claimed = async () => {
    await db.run(`update broadcasts set next_page_at = now() - interval '1 hour' where id = $1`, [id])
    return (await claimPages(db, 100)).find((one) => one.id === id)!
  }
  const [earlier, later] = [await claimed(), await claimed()]
  const counts = { refusals: { invalid_request: 1 }, accepted: 1, isLast: false, intervalMs: 60_000 }
  await postponePage(db, earlier, 60_000, { ...counts, reached: `${listId}.b` })
  await pauseAtPage(db, earlier, { ...counts, reached: `${listId}.b` })
  await endPage(db, earlier, { ...counts, reached: `${listId}.b` })
  expect(await position()).toBe('theirs')
  for (let times = 0; times < 2; times++) await endPage(db, later, { ...counts, reached: `${listId}.c` })
  const [row] = await db.run('select status, pages, reached, accepted, refusals from broadcasts where id = $1', [id])
  expect(row).toEqual({ status: 'running', pages: 1, reached: `${listId}.c`, accepted: 1, refusals: counts.refusals })
})

test.each([
  ['running', ['a', 'b', 'z'], 'b'],
  ['paused', ['z'], null],
  ['completed', ['a'], null],
])(
  'the erasure of the member that a broadcast (%s) has reached leaves the position before',
  async (status, members, expected) => {
    const { person, position } = await addBroadcast(status, { members })
    expect(await countPositions(db, person)).toBe(1)
    expect(await erasePositions(db, person)).toBe(1)
    expect(await position()).toBe(expected)
    expect(await countPositions(db, person)).toBe(0)
  },
)

test('positions at other members stay', async () => {
  const { person, position } = await addBroadcast('running', { reached: 'other' })
  expect(await erasePositions(db, person)).toBe(0)
  expect(await position()).toBe('other')
})
