import { expect } from '@jest/globals'
import { claimKey, type Run } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'

/** Works on an idempotency key as another process does, until it gives it up. */
export async function holdKey(env: TestEnv, { scope, key }: { scope: string; key: string }) {
  const holder = await env.admin.connect()
  const run: Run = async (statement, values = []) => {
    if (typeof statement === 'string' || 'compile' in statement) throw new Error('a claim is a statement')
    return (await holder.query(statement.text, [...values])).rows
  }
  await holder.query('begin; set local search_path = dispatch')
  expect(await claimKey(run, { scope, key, fingerprint: '' }, '')).toBe(true)
  return {
    async giveUp() {
      await holder.query('rollback')
      holder.release()
    },
  }
}
