import { mostJudgedHandOffs } from '@notify/contracts'
import type { AskWish, Wish } from '@notify/service-kit'
import type { HandedItem } from './handed-item.ts'

type Judged = Pick<HandedItem, 'notification_id' | 'topic'>

/** What recipients want of the notifications of one batch, as far as dispatch has answered. */
export interface Wishes {
  /** Asks about the first of those that have a topic, each once, and as many as one call can name. */
  ask(items: readonly Judged[]): Promise<void>
  /** Why it is not known whether a notification may be stored; undefined if it is known. */
  faultOf(item: Judged): Error | undefined
  isOptedOut(item: Judged): boolean
}

export function createWishes(askWish: AskWish): Wishes {
  const answers = new Map<string, Wish | Error>()
  return {
    async ask(items) {
      const unasked = items.filter(({ notification_id, topic }) => topic !== null && !answers.has(notification_id))
      const asked = unasked.slice(0, mostJudgedHandOffs).map(async ({ notification_id }) => {
        answers.set(notification_id, await askWish(notification_id).catch(asError))
      })
      await Promise.all(asked)
    },
    faultOf({ notification_id, topic }) {
      const answer = topic === null ? 'wanted' : (answers.get(notification_id) ?? new Error('dispatch was not asked'))
      return answer instanceof Error ? answer : undefined
    },
    isOptedOut: ({ notification_id }) => answers.get(notification_id) === 'opted_out',
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
