import type { AskWish, Wish } from '@notify/service-kit'
import type { HandedItem } from './handed-item.ts'

type Judged = Pick<HandedItem, 'notification_id' | 'topic'>

/** What recipients want of the notifications of one batch, as far as dispatch has answered. */
export interface Wishes {
  /** Asks about those that have a topic, each once. @returns whether dispatch has answered about any */
  ask(items: readonly Judged[]): Promise<boolean>
  /** Why it is not known whether a notification may be stored; undefined if it is known. */
  faultOf(item: Judged): Error | undefined
  isOptedOut(item: Judged): boolean
}

export function createWishes(askWish: AskWish): Wishes {
  const answers = new Map<string, Wish | Error>()
  return {
    async ask(items) {
      const unasked = items.filter(({ notification_id, topic }) => topic !== null && !answers.has(notification_id))
      const asked = unasked.map(async ({ notification_id }) => {
        const answer = await askWish(notification_id).catch((error: unknown) => asError(error))
        answers.set(notification_id, answer)
        return !(answer instanceof Error)
      })
      return (await Promise.all(asked)).includes(true)
    },
    faultOf({ notification_id, topic }) {
      const answer = topic === null ? 'wanted' : (answers.get(notification_id) ?? new Error('dispatch was not asked'))
      return answer instanceof Error ? answer : undefined
    },
    isOptedOut: ({ notification_id }) => answers.get(notification_id) === 'opted_out',
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
