import { expect, test } from '@jest/globals'
import { type Channel, newId, type TopicKind } from '@notify/contracts'
import { column, defineStatement, isDeadlock, isLockTimeout, type Run } from '@notify/database'
import { eventually } from '@notify/dev-env'
import fc from 'fast-check'
import { changeChoices } from '../src/catalogue/preferences/change-choices.ts'
import { type Choice, decidePreference } from '../src/catalogue/preferences/decide-preference.ts'
import { optedOutBecause } from '../src/catalogue/preferences/opted-out-because.ts'
import { db } from './own-schema.ts'

type Change = Parameters<typeof changeChoices>
const change = (owner: Change[1], choices: Change[2], origin: Change[3]) =>
  db.transaction((run) => changeChoices(run, owner, choices, origin))

const channels: Channel[] = ['email', 'sms']
const choice = fc.record({
  of: fc.constantFrom('user' as const, 'address' as const),
  topic: fc.constantFrom('news', 'offers', '*'),
  channel: fc.constantFrom<Channel | '*'>('email', 'sms', '*'),
  state: fc.constantFrom('on' as const, 'off' as const),
})
const switchOf = ({ of, topic, channel }: { of: string; topic: string; channel: string }) => `${of} ${topic} ${channel}`
const choices = fc.uniqueArray(choice, { maxLength: 12, selector: switchOf })
const kinds = fc.constantFrom<TopicKind | undefined>('required', 'on', 'off', undefined)
const asked = fc.record({
  topic: fc.constantFrom('news', 'offers'),
  channel: fc.constantFrom(...channels),
  kind: kinds,
})

/** The order of the rules, each on its own and looked up one by one. */
function slowly(
  { topic, channel, kind }: { topic: string; channel: Channel; kind: TopicKind | undefined },
  all: readonly Choice[],
): boolean {
  const has = (t: string, c: string, state: string) =>
    all.some((one) => one.topic === t && one.channel === c && one.state === state)
  if (kind === 'required') return true
  for (const t of [topic, '*']) for (const c of [channel, '*']) if (has(t, c, 'off')) return false
  if (has(topic, channel, 'on') || has(topic, '*', 'on')) return true
  return kind !== 'off'
}

test('choices decide in the documented order', () => {
  fc.assert(
    fc.property(asked, choices, (one, all) => {
      expect(decidePreference(one, all).sends).toBe(slowly(one, all))
    }),
    { numRuns: 2000 },
  )
})

test('a wide off overrides narrower choices and keeps them: undone, they count again', () => {
  fc.assert(
    fc.property(asked, choices, fc.constantFrom<Channel | '*'>('email', 'sms', '*'), (one, all, channel) => {
      const without = all.filter(({ topic, state }) => topic !== '*' || state !== 'off')
      const wide = { of: 'user' as const, topic: '*', channel, state: 'off' as const }
      const counts = channel === '*' || channel === one.channel
      expect(decidePreference(one, [...without, wide]).sends).toBe(
        one.kind === 'required' || (!counts && decidePreference(one, without).sends),
      )
    }),
  )
})

const judge = defineStatement({
  name: 'judge-preferences-of-test',
  text: `
    select n as number, ${optedOutBecause('one')} as opted_out
    from json_to_recordset($1::json) as one (n int, application_id text, mode text, channel text, topic text,
      recipient_index text, user_index text)
    order by n`,
  columns: { number: column.integer(), opted_out: column.text().nullable() },
})

test('Postgres decides as the function does, and names the same choice', async () => {
  const tenantId = newId('ten')
  const cases = fc.sample(fc.tuple(asked, choices), 300)
  const rows: object[] = []
  for (const [n, [one, all]] of cases.entries()) {
    const owner = { tenantId, applicationId: newId('app'), mode: 'live' as const }
    if (one.kind)
      await db.run(
        `insert into topics (tenant_id, application_id, topic_key, name, description, kind, channels, position, translations, updated_by)
         values ($1, $2, $3, 'Name', '', $4, '{email}', 0, '{}', 'op')`,
        [tenantId, owner.applicationId, one.topic, one.kind],
      )
    const indexOf = { user: `user ${n}`, address: `address ${n}` }
    const made = all.map(({ of, ...rest }) => ({ id: newId('pref'), recipient_index: indexOf[of], ...rest }))
    if (made.length > 0) await change(owner, made, { source: 'api', actor: null })
    const { topic, channel } = one
    const indexes = { recipient_index: indexOf.address, user_index: indexOf.user }
    rows.push({ n, application_id: owner.applicationId, mode: 'live', channel, topic, ...indexes })
  }
  const judged = await db.run(judge, [JSON.stringify(rows)])
  for (const { number, opted_out } of judged) {
    const [one, all] = cases[number]!
    const { sends, by } = decidePreference(one, all)
    expect([number, opted_out]).toEqual([
      number,
      sends ? null : by === 'kind' ? 'opted_out:kind' : `opted_out:${by.topic}:${by.channel}`,
    ])
  }
  expect(judged.filter(({ opted_out }) => opted_out !== null).length).toBeGreaterThan(50)
})

test('another mode and another application have choices of their own', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const off = { recipient_index: 'one person', topic: '*', channel: '*' as const, state: 'off' as const }
  await change(owner, [{ id: newId('pref'), ...off }], { source: 'page', actor: null })
  const row = { channel: 'email', topic: 'news', recipient_index: off.recipient_index, user_index: null }
  const judged = await db.run(judge, [
    JSON.stringify([
      { n: 0, application_id: owner.applicationId, mode: 'live', ...row },
      { n: 1, application_id: owner.applicationId, mode: 'test', ...row },
      { n: 2, application_id: newId('app'), mode: 'live', ...row },
      { n: 3, application_id: owner.applicationId, mode: 'live', ...row, topic: null },
    ]),
  ])
  expect(judged.map(({ opted_out }) => opted_out)).toEqual(['opted_out:*:*', null, null, null])
})

test('each change leaves one entry of evidence, which nothing changes; a repetition leaves none', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const made = (state: 'on' | 'off' | null, changed_at?: string) =>
    change(
      owner,
      [{ id: newId('pref'), recipient_index: 'somebody', topic: 'news', channel: 'email', state, changed_at }],
      { source: 'import', actor: 'key' },
    )
  expect(await made('off')).toHaveLength(1)
  expect(await made('off')).toHaveLength(0)
  // An import of what the person chose before.
  expect(await made('on', '2020-01-01T00:00:00Z')).toHaveLength(0)
  expect(await made('on')).toHaveLength(1)
  expect(await made(null)).toHaveLength(1)
  expect(await made(null)).toHaveLength(0)
  const entries = await db.run('select before, after from preference_changes where application_id = $1 order by id', [
    owner.applicationId,
  ])
  expect(entries).toEqual([
    { before: null, after: 'off' },
    { before: 'off', after: 'on' },
    { before: 'on', after: null },
  ])
  await expect(db.run(`update preference_changes set after = 'off'`)).rejects.toThrow('append-only')
  await expect(db.run('delete from preference_changes')).rejects.toThrow('append-only')
  await expect(db.run('truncate preference_changes')).rejects.toThrow('append-only')
})

test('a repetition counts from its own time: a choice imported from before it changes nothing', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const made = async (state: 'on' | 'off', changed_at?: string) => {
    const row = { id: newId('pref'), recipient_index: 'somebody', topic: 'news', channel: 'email' as const }
    return (await change(owner, [{ ...row, state, changed_at }], { source: 'import', actor: 'key' })).length
  }
  expect([await made('off', '2020-01-01T00:00:00Z'), await made('off', '2022-01-01T00:00:00Z')]).toEqual([1, 0])
  expect([await made('on', '2021-01-01T00:00:00Z'), await made('on', '2023-01-01T00:00:00Z')]).toEqual([0, 1])
  // Nor does an older repetition bring the time back.
  expect([await made('on', '2020-01-01T00:00:00Z'), await made('off', '2022-06-01T00:00:00Z')]).toEqual([0, 0])
  expect([await made('on'), await made('off', '2024-01-01T00:00:00Z')]).toEqual([0, 0])
  const { applicationId } = owner
  const known = await db.run('select state from preferences where application_id = $1', [applicationId])
  expect(known).toEqual([{ state: 'on' }])
})

test('a choice dated by a clock that is ahead does not outlast one that is made after it', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const made = (state: 'on' | 'off', changed_at: string) => {
    const row = { id: newId('pref'), recipient_index: 'somebody', topic: 'news', channel: 'email' as const }
    return change(owner, [{ ...row, state, changed_at }], { source: 'import', actor: 'key' })
  }
  const ahead = () => new Date(Date.now() + 60_000).toISOString()
  const [on] = await made('on', ahead())
  expect(on!.changed_at.getTime()).toBeLessThan(Date.now() + 30_000)
  expect(await made('off', ahead())).toHaveLength(1)
})

test('a choice that is made for the first time while an older one is imported stays, and is evidence once', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const make = (run: Run, state: 'on' | 'off', changed_at?: string) =>
    changeChoices(
      run,
      owner,
      [{ id: newId('pref'), recipient_index: 'somebody', topic: 'news', channel: 'sms', state, changed_at }],
      { source: 'api', actor: 'key' },
    )
  const made = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const first = db.transaction(async (run) => {
    await make(run, 'off')
    made.resolve()
    await released.promise
  })
  await made.promise
  // They cannot see it yet, and wait for it.
  const others = Promise.all([
    db.transaction((run) => make(run, 'on', '2020-01-01T00:00:00Z')),
    db.transaction((run) => make(run, 'off')),
  ])
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where wait_event = 'transactionid' and datname = current_database()`
    expect((await db.run(waiting)).length).toBeGreaterThanOrEqual(2)
  })
  released.resolve()
  await first
  expect(await others).toEqual([[], []])
  const of = [owner.applicationId]
  expect(await db.run('select state from preferences where application_id = $1', of)).toEqual([{ state: 'off' }])
  const evidence = await db.run('select before, after from preference_changes where application_id = $1', of)
  expect(evidence).toEqual([{ before: null, after: 'off' }])
})

test('of several choices for the same in one import the latest counts, in whatever order they are listed', async () => {
  const choice = fc.record({
    state: fc.constantFrom('on' as const, 'off' as const, null),
    changed_at: fc.constantFrom(undefined, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'),
  })
  for (const all of fc.sample(fc.array(choice, { minLength: 1, maxLength: 5 }), 60)) {
    const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
    const one = { recipient_index: 'somebody', topic: 'news', channel: 'sms' as const }
    const rows = all.map((each) => ({ id: newId('pref'), ...one, ...each }))
    await change(owner, rows, { source: 'import', actor: 'key' })
    const known = await db.run('select state from preferences where application_id = $1', [owner.applicationId])
    const latest = all.toSorted((a, b) => (a.changed_at ?? '9').localeCompare(b.changed_at ?? '9')).at(-1)!
    expect(known).toEqual(latest.state === null ? [] : [{ state: latest.state }])
  }
})

test('imports of the same choices at the same moment, in any order and with removals, all succeed', async () => {
  const owner = { tenantId: newId('ten'), applicationId: newId('app'), mode: 'live' as const }
  const people = Array.from({ length: 20 }, (_, n) => `person ${n}`)
  const random = fc.record({
    recipient_index: fc.constantFrom(...people),
    topic: fc.constantFrom('news', 'offers', '*'),
    channel: fc.constantFrom<Channel | '*'>('sms', '*'),
    state: fc.constantFrom('on' as const, 'off' as const, null),
    changed_at: fc.constantFrom(undefined, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'),
  })
  const imports = fc.sample(fc.array(random, { minLength: 60, maxLength: 60 }), 60)
  const waiting = imports.values()
  /** When this process stood still, a lock was held for long, and the import is tried again. A deadlock is a fault. */
  const isTaken = (rows: Change[2]) =>
    change(owner, rows, { source: 'import', actor: 'key' }).then(
      () => true,
      (error: unknown) => {
        if (!isLockTimeout(error) || isDeadlock(error)) throw error
        return false
      },
    )
  const makeImports = async () => {
    for (const all of waiting) {
      const rows = all.map((one) => ({ id: newId('pref'), ...one }))
      let isDone = false
      while (!isDone) isDone = await isTaken(rows)
    }
  }
  // As many at a time as there are connections, which nobody has to wait for.
  await Promise.all(Array.from({ length: 8 }, makeImports))
  const hidden = `select from preferences where application_id = $1 and changed_at = '-infinity'`
  expect(await db.run(hidden, [owner.applicationId])).toEqual([])
})
