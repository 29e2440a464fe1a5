import { expect, test } from '@jest/globals'
import { newId, type Route } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { type HttpRequest, Problem } from '@notify/service-kit'
import { openSchema, useOwnSchema } from '@notify/test-kit/database'
import type { Context } from '../src/context.ts'
import { migrations } from '../src/db/migrations.ts'
import { commitAndSend } from '../src/messages/commit-and-send.ts'

let db: Queries
let env: TestEnv
useOwnSchema('otp', { migrations, poolSize: 2 }, (own) => {
  db = own.db
  env = own.env
})

const keyRing = parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`)
const route = { method: 'POST', path: '/api/v1/otp/send', confidential: true }
const principal = { kind: 'key', mode: 'live', application_id: newId('app') }

interface Sending {
  key: string | undefined
  isAwaited?: boolean
  /** Called after each draft with their number. */
  drafted?(drafts: number): unknown
  /** The write ends after it. */
  written?(): Promise<void>
}

/** Sends a code in a process, up to the write, and counts it. */
async function send(db: Queries, { key, isAwaited = true, drafted, written }: Sending) {
  const seen = { counted: 0, drafts: 0 }
  const handle = commitAndSend({
    async draft() {
      seen.counted += 1
      seen.drafts += 1
      drafted?.(seen.drafts)
      return {
        giveBack() {
          seen.counted -= 1
        },
      }
    },
    async write() {
      await written?.()
      throw new Problem('service_unavailable', 'It may have been sent')
    },
  })
  const request = { contract: route, principal, params: {}, body: {}, idempotencyKey: key, isAwaited: () => isAwaited }
  const context = { db, secrets: { keyRing, fingerprint: () => 'body' } } as unknown as Context
  const answer = handle(context, request as unknown as HttpRequest<Route>)
  await expect(answer).rejects.toMatchObject({ code: 'service_unavailable' })
  return seen
}

test('a request that waits for another process with its key counts once, however often it tries', async () => {
  const other = await openSchema(env, 'otp')
  try {
    const key = crypto.randomUUID()
    const writing = Promise.withResolvers<void>()
    const may = Promise.withResolvers<void>()
    const written = () => {
      writing.resolve()
      return may.promise
    }
    const first = send(other.db, { key, written })
    await writing.promise
    const second = await send(db, { key, drafted: (drafts) => drafts === 4 && may.resolve() })
    expect(second.counted).toBe(1)
    expect(second.drafts).toBeGreaterThan(3)
    await first
  } finally {
    await other.kit.stop()
  }
})

test('a request whose caller no longer waits counts for nothing', async () => {
  for (const key of [undefined, crypto.randomUUID()]) {
    expect(await send(db, { key, isAwaited: false })).toEqual({ counted: 0, drafts: 1 })
  }
})
