import { afterAll, beforeAll, expect, test } from '@jest/globals'
// Each defines the tests of its subject; all use one stack.
import './audiences/broadcasts.ts'
import './audiences/cancelled-pages.ts'
import './audiences/delayed-pages.ts'
import './audiences/deleted-application.ts'
import './audiences/killed-workers.ts'
import './audiences/lists.ts'
import './audiences/mended.ts'
import './audiences/moved.ts'
import './audiences/restored.ts'
import { env, start } from './audiences/stack.ts'

beforeAll(start)
afterAll(() => env?.stop())

test('after all of these, no member has two notifications of a broadcast', async () => {
  const { rows } = await env.admin.query(
    `select broadcast_id, user_index from dispatch.notifications where broadcast_id is not null and user_index is not null
     group by 1, 2 having count(*) > 1`,
  )
  expect(rows).toEqual([])
})
