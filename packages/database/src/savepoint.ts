import type { Run } from './open.ts'

/** Runs statements in a savepoint, so that their failure does not abort the transaction. */
export async function withSavepoint<T>(run: Run, work: () => Promise<T>): Promise<T> {
  await run('savepoint part')
  try {
    const result = await work()
    await run('release savepoint part')
    return result
  } catch (error) {
    // On a lost connection the first error is the cause.
    await run('rollback to savepoint part').catch(() => {})
    throw error
  }
}
