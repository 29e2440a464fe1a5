import { useSyncExternalStore } from 'react'
import type { InboxClient, InboxState } from '../index.ts'

/**
 * The inbox as React state. The stream is open while a component uses it.
 * @param inbox made once for each user, outside components or with `useMemo`
 */
export function useInbox(inbox: InboxClient): InboxState {
  return useSyncExternalStore(inbox.subscribe, inbox.getState, inbox.getState)
}
