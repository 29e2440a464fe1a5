import { expect, test } from '@jest/globals'
import { repeatLost } from './repeat-lost.ts'

const lost = (code: string, hasLeft: boolean) => Object.assign(new Error(code), { code, hasLeft })

/** Fails with these errors in turn, then succeeds. */
function sendAfter(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift()
    if (error) throw error
    return `${errors.length} left`
  }
}

test('a request that may have taken effect is reported as such, however its repetitions fail', async () => {
  const broken = lost('ECONNRESET', true)
  const refused = Array.from({ length: 10 }, () => lost('ECONNREFUSED', false))
  const failure = repeatLost(sendAfter(broken, ...refused), { idempotent: true, timeoutMs: 5000 })
  await expect(failure).rejects.toMatchObject({ code: 'ECONNREFUSED', hasLeft: true })
})

test('neither a timeout nor a refusal is repeated, nor anything beyond the timeout', async () => {
  const options = { idempotent: true, timeoutMs: 5000 }
  await expect(repeatLost(sendAfter(lost('ETIMEDOUT', true)), options)).rejects.toThrow('ETIMEDOUT')
  await expect(repeatLost(sendAfter(new Error('no room')), options)).rejects.toThrow('no room')
  const late = repeatLost(sendAfter(lost('ECONNREFUSED', false)), { idempotent: true, timeoutMs: 5 })
  await expect(late).rejects.toThrow('ECONNREFUSED')
})
