import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import { type HandOff, type Id, inboxRequested, mostJudgedHandOffs, newId } from '@notify/contracts'
import { isUnavailable, type Queries } from '@notify/database'
import { sealEvent } from '@notify/messaging'
import { createBlindIndex, parseKeyRing } from '@notify/privacy'
import { coalesce, type Wish } from '@notify/service-kit'
import { useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { createHandOffStore, type StoreHandOff } from '../src/hand-offs/store-hand-off.ts'
import { mostBatchBytes } from '../src/hand-offs/store-in-order.ts'

const keyRing = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const blindIndex = createBlindIndex(randomBytes(32))
const [tenantId, applicationId] = [newId('ten'), newId('app')]
/** Three bytes each in UTF-8. */
const body = '€'.repeat(100_000)
const count = 40

let db: Queries
let store: StoreHandOff
/** Bytes of the largest parameter of each transaction. */
const written: number[] = []
/** Calls of dispatch. */
let questions = 0
useOwnSchema('inbox-stream', { migrations }, (own) => {
  db = own.db
  store = createHandOffStore({
    db: {
      ...db,
      transaction: (work) =>
        db.transaction(async (run) => {
          const sizes = [0]
          try {
            return await work((statement, values) => {
              for (const value of values ?? []) if (typeof value === 'string') sizes.push(value.length)
              return run(statement as never, values as never) as never
            })
          } finally {
            written.push(Math.max(...sizes))
          }
        }),
    },
    secrets: { keyRing, blindIndex },
    metrics: { stored() {}, replayed() {}, gap() {} },
    live: { publish() {} } as never,
    askWish: coalesce<Id<'notif'>, Wish>({
      ...{ maxBatch: mostJudgedHandOffs, maxInFlight: 4 },
      async run(asked) {
        questions += 1
        return asked.map(() => 'wanted')
      },
    }),
    wakeOutbox() {},
  })
})
beforeEach(async () => {
  written.length = 0
  await db.runLong('truncate inboxes, inbox_items, inbox_events, waiting_items, outbox')
})

function handOff(notification_id: Id<'notif'>, after: Id<'notif'> | null, topic?: string): HandOff {
  const payload = {
    ...{ notification_id, after, retry_count: 0, tenant_id: tenantId, application_id: applicationId },
    ...({ mode: 'live', lane: 'transactional', channel: 'in_app', event_key: null } as const),
    ...{ created_at: new Date().toISOString(), topic },
  }
  const content = { channel: 'in_app', user_id: 'ada', title: 'Large', body: topic ? 'Small' : body, data: {} } as const
  return sealEvent(keyRing, inboxRequested, payload, content)
}

/** Batches of one inbox wait for each other: on a busy machine one may take too long, and its hand-offs come again. */
const storeAll = (handOffs: readonly HandOff[]) => Promise.all(handOffs.map((one) => storeOne(one, 10)))
const storeOne = (handOff: HandOff, attempts: number): Promise<void> =>
  store(handOff, undefined).catch((error) => {
    if (attempts === 1 || !isUnavailable(error)) throw error
    return storeOne(handOff, attempts - 1)
  })

/** Base64 in JSON. */
const mostWritten = mostBatchBytes * 1.4

/** The ids of the stored notifications, in the order of the inbox. */
async function storedIds(): Promise<string[]> {
  const rows = await db.runLong<{ notification_id: string }>('select notification_id from inbox_items order by seq')
  return rows.map(({ notification_id }) => notification_id)
}

test('large notifications are stored in batches that a statement can write in its time', async () => {
  const ids = Array.from({ length: count }, () => newId('notif'))
  await storeAll(ids.map((id) => handOff(id, null)))
  expect((await storedIds()).toSorted()).toEqual(ids)
  expect(Math.max(...written)).toBeLessThan(mostWritten)
})

test('large notifications that waited for one are stored in such batches as well, all of them and in their order', async () => {
  const ids = Array.from({ length: count }, () => newId('notif'))
  const [first, ...rest] = ids.map((id, at) => handOff(id, ids[at - 1] ?? null))
  await storeAll(rest)
  await storeAll([first!])
  expect(await storedIds()).toEqual(ids)
  expect(await db.run('select from waiting_items')).toEqual([])
  expect(Math.max(...written)).toBeLessThan(mostWritten)
})

test('large notifications that wait are all stored when they are handed over again without a predecessor', async () => {
  const ids = Array.from({ length: count }, () => newId('notif'))
  await storeAll(ids.map((id) => handOff(id, newId('notif'))))
  expect(await storedIds()).toEqual([])
  await storeAll(ids.map((id) => handOff(id, null)))
  expect((await storedIds()).toSorted()).toEqual(ids)
  expect(await db.run('select from waiting_items')).toEqual([])
})

test('notifications with a topic that waited for one are asked about together, and stored in few transactions', async () => {
  const ids = Array.from({ length: 300 }, () => newId('notif'))
  const [first, ...rest] = ids.map((id, at) => handOff(id, ids[at - 1] ?? null, 'news'))
  await storeAll(rest)
  expect(await storedIds()).toEqual([])
  written.length = 0
  questions = 0
  await storeAll([first!])
  expect(await storedIds()).toEqual(ids)
  expect(written.length).toBeLessThan(5)
  expect(questions).toBeLessThan(5)
})
