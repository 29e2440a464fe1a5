import { Problem } from '../problem.ts'

/**
 * What becomes of the work, if that is known in time; it goes on in any case.
 * @param ms without it, however long it takes
 * @throws Problem `service_unavailable` when it is not
 */
export async function within<T>(ms: number | undefined, work: Promise<T> | T): Promise<T> {
  if (ms === undefined || !(work instanceof Promise)) return work
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Problem('service_unavailable', 'The service did not answer in time; try again shortly'))
  }, ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
