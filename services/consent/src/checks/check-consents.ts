import type { checkConsents as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { readConsents } from './consent-store.ts'

/** Returns which of many numbers may receive messages. Nothing is cached: a STOP counts at once. */
export const checkConsents: Handler<Context, typeof contract> = async ({ db, metrics }, { body: { subjects } }) => {
  metrics.checked(subjects.length)
  return { consents: await readConsents(db.run, subjects) }
}
