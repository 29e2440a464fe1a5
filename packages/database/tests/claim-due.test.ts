import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { claimDueSql, dueInSql } from '../src/claim-due.ts'
import type { Run } from '../src/open.ts'
import { type Process, startProcess } from './schema.ts'

let env: TestEnv
let one: Process
let two: Process

beforeAll(async () => {
  env = await TestEnv.start([])
  await env.sql('consent').query(
    `create table parcels (owner text, id int, due_at timestamptz, tries int not null default 0, primary key (owner, id));
     create index parcels_due on parcels (due_at);
     create index parcels_of_owner on parcels (owner, due_at)`,
  )
  one = await startProcess(env)
  two = await startProcess(env)
})
afterAll(async () => {
  await one?.kit.stop()
  await two?.kit.stop()
  await env?.stop()
})
beforeEach(() => env.sql('consent').query('truncate parcels'))

const hourMs = 3_600_000
const parcels = { table: 'parcels', key: ['owner', 'id'], due: 'due_at' }

/** Adds parcels of an owner that have been due for so many seconds, the first one longest; negative for later. */
const add = (owner: string, count: number, dueForSeconds = 3600) =>
  one.db.runLong(
    `insert into parcels (owner, id, due_at)
     select $1, n, now() - make_interval(secs => $3) + n * interval '1 millisecond' from generate_series(1, $2) n`,
    [owner, count, dueForSeconds],
  )

interface Claimed {
  owner: string
  id: number
}

function claim(
  run: Run,
  { limit = 100, leaseMs = hourMs, ...more }: { limit?: number; leaseMs?: number } & Partial<Parcels> = {},
): Promise<Claimed[]> {
  const sql = claimDueSql({ ...parcels, ...more }, { limit: '$1', leaseMs: '$2' })
  return run<Claimed>(`${sql} select owner, id from claimed order by owner, id`, [limit, leaseMs])
}
type Parcels = Parameters<typeof claimDueSql>[0]

const nameOf = ({ owner, id }: Claimed) => `${owner}${id}`
const names = (claims: readonly Claimed[]) => claims.map(nameOf)

test('each row goes to one of several concurrent claims, and none is left', async () => {
  await add('a', 200)
  const claims = (
    await Promise.all([one, two, one, two, one, two].map(({ db }) => claim(db.run, { limit: 50 })))
  ).flat()
  while (claims.length < 200) {
    const more = await claim(one.db.run, { limit: 50 })
    if (more.length === 0) break
    claims.push(...more)
  }
  expect([claims.length, new Set(names(claims)).size]).toEqual([200, 200])
})

test('the time until a row is due is that of the rows that may be claimed', async () => {
  const look = async (where?: string) => {
    const [row] = await one.db.run<{ due_in_ms: number }>(dueInSql({ ...parcels, ...(where ? { where } : {}) }))
    return row!.due_in_ms
  }
  expect(await look()).toBe(Number.POSITIVE_INFINITY)
  await add('later', 1, -60)
  expect(await look()).toBeGreaterThan(50_000)
  expect(await look()).toBeLessThanOrEqual(60_001)
  await add('now', 1, 10)
  expect(await look()).toBeLessThanOrEqual(-9000)
  expect(await look(`owner <> 'now'`)).toBeGreaterThan(50_000)
})

test('the longest due rows come first, up to the limit', async () => {
  await add('late', 3, 10)
  await add('early', 2, 100)
  expect(names(await claim(one.db.run, { limit: 3 }))).toEqual(['early1', 'early2', 'late1'])
  expect(names(await claim(one.db.run, { limit: 3 }))).toEqual(['late2', 'late3'])
  expect(await claim(one.db.run, { limit: 3 })).toEqual([])
})

test('a row that is due later, by the clock of Postgres, or never, is not claimed', async () => {
  await add('later', 1, -60)
  await env.sql('consent').query(`insert into parcels (owner, id, due_at) values ('never', 1, null)`)
  await add('now', 1, 1)
  expect(names(await claim(one.db.run))).toEqual(['now1'])
})

test('a locked row is skipped, not waited for', async () => {
  await add('a', 2)
  await one.db.transaction(async (run) => {
    expect(names(await claim(run, { limit: 1 }))).toEqual(['a1'])
    expect(names(await claim(two.db.run))).toEqual(['a2'])
  })
})

test('a worker that dies before the commit of its claim has claimed nothing', async () => {
  await add('a', 1)
  const dying = one.db.transaction(async (run) => {
    await claim(run)
    throw new Error('killed')
  })
  await expect(dying).rejects.toThrow('killed')
  expect(names(await claim(two.db.run))).toEqual(['a1'])
})

test('the rows of a worker that dies after the commit are due again when the lease ends, not before', async () => {
  await add('a', 1)
  await claim(one.db.run, { leaseMs: hourMs })
  expect(await claim(two.db.run)).toEqual([])
  const { rows } = await env
    .sql('consent')
    .query(`select due_at between now() + interval '59 minutes' and now() + interval '1 hour' as leased from parcels`)
  expect(rows).toEqual([{ leased: true }])
  await env.sql('consent').query(`update parcels set due_at = due_at - interval '1 hour'`)
  await eventually(async () => expect(names(await claim(two.db.run))).toEqual(['a1']))
})

test('a row that kills every worker does not block the others', async () => {
  await add('deadly', 1, 7200)
  await add('harmless', 3, 60)
  const claimed: string[] = []
  for (let turn = 0; turn < 4; turn++) {
    claimed.push(...names(await claim(one.db.run, { limit: 1, leaseMs: 0 })))
  }
  expect(claimed).toEqual(['deadly1', 'harmless1', 'harmless2', 'harmless3'])
})

test('a condition narrows the claim, and it may change more than the time', async () => {
  await add('a', 2)
  await add('b', 2)
  expect(names(await claim(one.db.run, { where: `owner = 'a' or owner = 'c'`, set: 'tries = tries + 1' }))).toEqual([
    'a1',
    'a2',
  ])
  const { rows } = await env.sql('consent').query('select owner || id as name, tries from parcels order by 1')
  expect(rows.map(({ name, tries }) => `${name}: ${tries}`)).toEqual(['a1: 1', 'a2: 1', 'b1: 0', 'b2: 0'])
})

describe('a fair claim', () => {
  const fair = { by: 'owner', most: 4 }

  test('takes up to its limit of each owner, the longest due first, whatever the backlog of one', async () => {
    await add('big', 1000, 7200)
    await add('small', 1, 1)
    await add('tiny', 2, 1)
    const claimed = names(await claim(one.db.run, { limit: 12, fair }))
    expect(claimed).toEqual(['big1', 'big2', 'big3', 'big4', 'small1', 'tiny1', 'tiny2'])
  })

  test('counts the rows that the worker has in hand towards the limit of their owner', async () => {
    await add('a', 10)
    await add('b', 10)
    await add('c', 1)
    const claimBeside = async (inHand: string) =>
      names(await claim(one.db.run, { fair: { by: 'owner', most: 3, inHand: `'{${inHand}}'::text[]` } }))
    expect(await claimBeside('a,b,a,a')).toEqual(['b1', 'b2', 'c1'])
    expect(await claimBeside('a,a,a,a,b,b')).toEqual(['b3'])
    expect(await claimBeside('')).toEqual(['a1', 'a2', 'a3', 'b4', 'b5', 'b6'])
  })

  test('gives every owner a turn, even if there are more owners than rows of a claim', async () => {
    for (let owner = 0; owner < 20; owner++) await add(`o${owner}`, 5, 1000 + owner)
    const claimed: Claimed[] = []
    for (let turn = 0; turn < 20; turn++) {
      const some = await claim(turn % 2 ? one.db.run : two.db.run, { limit: 5, fair: { by: 'owner', most: 1 } })
      expect(new Set(some.map(({ owner }) => owner)).size).toBe(some.length)
      claimed.push(...some)
    }
    while (claimed.length < 100) {
      const some = await claim(one.db.run, { limit: 5, fair: { by: 'owner', most: 1 } })
      expect(some).not.toEqual([])
      claimed.push(...some)
    }
    expect(new Set(names(claimed)).size).toBe(100)
  })

  test('takes rows of an owner and of all up to a sum, or one row that exceeds it', async () => {
    const size = { of: 'tries', mostOfOwner: 5, most: 8 }
    await add('a', 4)
    await add('b', 1)
    await env.sql('consent').query(`update parcels set tries = case owner when 'a' then id * 2 else 9 end`)
    const claims = new Set<string>()
    for (let turn = 0; turn < 5; turn++) claims.add(names(await claim(one.db.run, { fair: { ...fair, size } })).join())
    expect(claims).toEqual(new Set(['a1', 'a2', 'a3', 'a4', 'b1']))
    await env.sql('consent').query(`update parcels set due_at = now(), tries = 3 - id where id < 3`)
    expect(names(await claim(one.db.run, { fair: { ...fair, size } }))).toEqual(['a1', 'a2', 'b1'])
  })

  test('skips rows that are not due, locked, or excluded by the condition', async () => {
    await add('a', 3)
    await add('b', 1, -60)
    await add('c', 1)
    await one.db.transaction(async (run) => {
      expect(names(await claim(run, { where: `owner <> 'c'`, fair: { by: 'owner', most: 2 } }))).toEqual(['a1', 'a2'])
      expect(names(await claim(two.db.run, { fair }))).toEqual(['a3', 'c1'])
    })
    expect(await claim(two.db.run, { fair })).toEqual([])
  })

  test('finds its rows by the index, and reads only the rows that it claims', async () => {
    await add('big', 20_000)
    await add('small', 1)
    await env.sql('consent').query('analyze parcels')
    const sql = claimDueSql({ ...parcels, fair }, { limit: 8, leaseMs: hourMs })
    const [plan] = await one.db.run<{ 'QUERY PLAN': object }>(
      `explain (analyze, format json) ${sql} select owner from claimed`,
    )
    const nodes = nodesOf(plan!['QUERY PLAN'])
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
    const read = nodes.filter((node) => node['Relation Name'] === 'parcels')
    expect(read.length).toBeGreaterThan(0)
    for (const node of read) expect(node['Actual Rows']! * node['Actual Loops']!).toBeLessThan(20)
  })
})

interface PlanNode {
  'Node Type'?: string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
}

/** All nodes of a plan, whatever holds them. */
function nodesOf(plan: unknown): PlanNode[] {
  if (typeof plan !== 'object' || plan === null) return []
  const inside = Object.values(plan).flatMap(nodesOf)
  return 'Node Type' in plan ? [plan as PlanNode, ...inside] : inside
}
