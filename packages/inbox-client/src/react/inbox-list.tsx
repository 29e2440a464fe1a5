import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { InboxClient, InboxNotification, InboxState } from '../index.ts'
import { InboxItem } from './inbox-item.tsx'
import type { InboxLabels } from './labels.ts'

interface InboxListProps {
  inbox: InboxClient
  state: InboxState
  labels: InboxLabels
  locale: string | undefined
  onOpen: ((notification: InboxNotification, event: { preventDefault(): void }) => void) | undefined
  /** Runs an action that may fail, and shows the failure to the user. */
  attempt: (action: () => Promise<void>) => void
}

/** The notifications, or why there are none. Arrow keys, Home and End move between them. */
export function InboxList({ inbox, state, labels, locale, onOpen, attempt }: InboxListProps) {
  const list = useRef<HTMLUListElement>(null)
  const nowMs = useNow()
  useRefill({ inbox, state, attempt })
  const { notifications, isLoaded, hasMore, status } = state
  const isEmpty = notifications.length === 0
  if (isEmpty && !hasMore) {
    if (status === 'denied') return null
    return <p className="ni-empty">{isLoaded ? labels.empty : labels.loading}</p>
  }
  const move = (event: KeyboardEvent) => {
    const targets = [...(list.current?.querySelectorAll<HTMLElement>('.ni-open') ?? [])]
    const at = targets.findIndex((target) => target.parentElement?.contains(event.target as Node))
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: targets.length - 1 }[event.key]
    if (next === undefined || !targets[next]) return
    event.preventDefault()
    targets[next].focus()
  }
  /** The button that had the focus goes with its notification. */
  const remove = (at: number, id: string) => {
    const targets = list.current?.querySelectorAll<HTMLElement>('.ni-open')
    const next = targets?.[at + 1] ?? targets?.[at - 1] ?? list.current?.closest<HTMLElement>('[role=dialog]')
    next?.focus()
    attempt(() => inbox.remove(id))
  }
  return (
    <>
      {!isEmpty && (
        <ul className="ni-list" ref={list} onKeyDown={move}>
          {notifications.map((notification, at) => (
            <InboxItem
              key={notification.id}
              notification={notification}
              labels={labels}
              locale={locale}
              nowMs={nowMs}
              onOpen={(event) => {
                if (!notification.is_read) attempt(() => inbox.markRead(notification.id))
                onOpen?.(notification, event)
              }}
              onMark={(isRead) => attempt(() => inbox.markRead(notification.id, isRead))}
              onRemove={() => remove(at, notification.id)}
            />
          ))}
        </ul>
      )}
      {hasMore && (
        <button className="ni-more" type="button" onClick={() => attempt(inbox.loadMore)}>
          {labels.loadMore}
        </button>
      )}
    </>
  )
}

/** Loads older notifications when all that were loaded are deleted: once for each state, because it may fail. */
function useRefill({ inbox, state, attempt }: Pick<InboxListProps, 'inbox' | 'state' | 'attempt'>): void {
  const tried = useRef<InboxState | null>(null)
  useEffect(() => {
    const isEmptied = state.isLoaded && state.hasMore && state.notifications.length === 0
    if (!isEmptied || tried.current === state) return
    tried.current = state
    attempt(inbox.loadMore)
  }, [inbox, state, attempt])
}

/** The time, once a minute. */
function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return nowMs
}
