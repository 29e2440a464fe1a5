import type { Kit } from './kit.ts'
import { type Periodic, type PeriodicOptions, startPeriodic } from './periodic.ts'

interface ClaimingOptions<Task> extends Omit<PeriodicOptions, 'run'> {
  /**
   * Claims due tasks beside those that this process has in hand, which it limits. A number is the milliseconds until a task is
   * due.
   */
  claim(inHand: readonly Task[]): Promise<readonly Task[] | number>
  /** Works on a task. After a failure the task must become due again, for example when its lease ends. */
  work(task: Task): Promise<unknown>
}

/**
 * Claims tasks repeatedly and works on them concurrently, so that a task that waits delays no other. The next claim begins when
 * the last task in hand ends, or `atLeastMs` after the end of another. Failures are logged. Registers its stop, which waits for
 * the tasks in hand.
 */
export function startClaiming<Task>(
  kit: Pick<Kit, 'log' | 'lifecycle'>,
  { claim, work, ...options }: ClaimingOptions<Task>,
): Periodic {
  const inHand = new Map<Task, Promise<void>>()
  // Registered before the claims, so that it runs after their stop.
  kit.lifecycle.onStop(`${options.name} in hand`, () => Promise.all(inHand.values()))
  const begin = async (task: Task) => {
    try {
      await work(task)
    } catch (error) {
      kit.log.warn({ task: options.name, err: error }, 'a claimed task failed; it will be repeated')
    } finally {
      inHand.delete(task)
      // A claim for each of many short tasks would cost more than they do.
      if (inHand.size === 0) claims.wake()
      else claims.stir()
    }
  }
  const claims = startPeriodic(kit, {
    ...options,
    async run() {
      const claimed = await claim([...inHand.keys()])
      if (typeof claimed === 'number') return claimed
      for (const task of claimed) inHand.set(task, begin(task))
      // Due tasks of owners that have their share in hand conceal when the next task of another owner is due.
      return claimed.length > 0 || (inHand.size > 0 && 0)
    },
  })
  return claims
}
