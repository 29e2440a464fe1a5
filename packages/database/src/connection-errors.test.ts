import { expect, test } from '@jest/globals'
import type { Problem } from '@notify/service-kit'
import pg from 'pg'
import { rethrow, rethrowCommitting } from './connection-errors.ts'
import { isTemporary } from './temporary-error.ts'

function errorOf(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('could not extend file: No space left on device', 0, 'error'), { code })
}

const thrownBy = (work: () => never): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test.each(['53000', '53100', '53200', '53300', '53400'])(
  'exhausted resources (%s) are unavailable for a moment, and nothing has taken effect',
  (code) => {
    const error = errorOf(code)
    for (const problem of [thrownBy(() => rethrow(error)), thrownBy(() => rethrowCommitting(error))]) {
      expect(problem).toMatchObject({ code: 'service_unavailable', mayHaveTakenEffect: false, cause: error })
      expect((problem as Problem).message).not.toContain('extend file')
    }
    expect(isTemporary(error)).toBe(true)
  },
)

test.each(['28P01', '28000'])(
  'a login that Postgres refuses (%s) is unavailable, and nothing has taken effect',
  (code) => {
    const error = errorOf(code)
    for (const problem of [thrownBy(() => rethrow(error)), thrownBy(() => rethrowCommitting(error))])
      expect(problem).toMatchObject({ code: 'service_unavailable', mayHaveTakenEffect: false, cause: error })
  },
)

test.each(['23505', '42P01', '5310'])('another error (%s) stays what it is', (code) => {
  const error = errorOf(code)
  expect(thrownBy(() => rethrow(error))).toBe(error)
  expect(isTemporary(error)).toBe(false)
})
