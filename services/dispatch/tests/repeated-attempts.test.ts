import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { forgetRepetition, repeatAttempt } from '../src/deliver/call/repeat-attempt.ts'
import { db } from './own-schema.ts'

const [account, other] = [newId('prov'), newId('prov')]

/** Attempts in order, each with its outcome at an account, and which it repeats. @returns which of them the next one at `account` repeats */
async function repeatedOf(
  ...attempts: [outcome: string | null, provider: string, repeats?: number][]
): Promise<number | undefined> {
  const id = newId('notif')
  const ids = attempts.map(() => newId('att'))
  for (const [at, [outcome, provider, repeats]] of attempts.entries())
    await db.run(
      `insert into attempts (notification_id, number, id, provider_id, lease_until, finished_at, outcome, repeats)
       values ($1, $2, $3, $4, now(), now(), $5, $6)`,
      [id, at + 1, ids[at], provider, outcome, repeats === undefined ? null : ids[repeats - 1]],
    )
  const claim = { id, attempt_count: attempts.length + 1 }
  await db.run(`insert into attempts (notification_id, number, id, lease_until) values ($1, $2, $3, now())`, [
    ...[id, claim.attempt_count, newId('att')],
  ])
  const found = await repeatAttempt(db, claim, account)
  const stored = async () =>
    (
      await db.run('select repeats from attempts where notification_id = $1 and number = $2', [id, claim.attempt_count])
    )[0]
  expect(await stored()).toEqual({ repeats: found ?? null })
  await forgetRepetition(db, claim)
  expect(await stored()).toEqual({ repeats: null })
  return found === undefined ? undefined : ids.indexOf(found as (typeof ids)[number]) + 1
}

test('an attempt repeats the first of those before it whose outcomes are unknown at the same account', async () => {
  expect(await repeatedOf()).toBeUndefined()
  expect(await repeatedOf(['unknown', account])).toBe(1)
  expect(await repeatedOf(['unknown', account], ['unknown', account])).toBe(1)
  expect(await repeatedOf(['rejected_retryable', account], ['unknown', account], ['unknown', account])).toBe(2)
})

test('a repetition that the carrier asked to come later is repeated under the same key', async () => {
  expect(await repeatedOf(['unknown', account], ['rejected_retryable', account, 1])).toBe(1)
  expect(await repeatedOf(['unknown', account], ['rejected_retryable', account, 1], ['unknown', account, 1])).toBe(1)
  expect(await repeatedOf(['unknown', account], ['accepted', account, 1])).toBeUndefined()
  expect(await repeatedOf(['unknown', account], ['rejected_permanent', account, 1])).toBeUndefined()
})

test('it repeats nothing after a known outcome, or after an attempt at another account', async () => {
  expect(await repeatedOf(['unknown', account], ['rejected_retryable', account])).toBeUndefined()
  expect(await repeatedOf(['unknown', account], ['unknown', other])).toBeUndefined()
  expect(await repeatedOf(['unknown', account], [null, account])).toBeUndefined()
  expect(await repeatedOf(['unknown', other], ['unknown', account])).toBe(2)
})
