import type { Run } from './open.ts'

/** Runs statements of a transaction so that their failure takes back only themselves. */
export async function withSavepoint<T>(run: Run, work: () => Promise<T>): Promise<T> {
  await run('savepoint part')
  try {
    const result = await work()
    await run('release savepoint part')
    return result
  } catch (error) {
    // Where the connection is lost there is nothing to go back to, and the first error says why.
    await run('rollback to savepoint part').catch(() => {})
    throw error
  }
}
