import { applyChange, type Change, concerns } from './change.ts'
import { type Contents, type InboxState, type InboxStatus, nothing } from './state.ts'
import { applyEvent, type ChangeEvent } from './stream-event.ts'

interface Pending {
  readonly change: Change
  /** The server has reported the target meanwhile, which takes precedence over our guess. */
  isOverruled: boolean
}

/** What the server has sent, with unconfirmed changes applied on top. */
export class Store {
  contents: Contents = nothing
  #status: InboxStatus = 'idle'
  #state: InboxState = stateOf(nothing, 'idle')
  readonly #pending = new Set<Pending>()
  /** Updates since the next page was requested, which has nothing new; none is requested after a snapshot. */
  #sincePage: ChangeEvent[] | undefined
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get state(): InboxState {
    return this.#state
  }

  get status(): InboxStatus {
    return this.#status
  }

  set status(status: InboxStatus) {
    this.#status = status
    this.#show()
  }

  /** Replaces the state with the server's snapshot. */
  replace(contents: Contents): void {
    this.#sincePage = undefined
    this.#set(contents)
  }

  /** Appends the next page, with the events that came while it was read; a snapshot that came meanwhile makes it void. */
  async extend(read: () => Promise<Pick<Contents, 'notifications' | 'nextCursor'>>): Promise<void> {
    const events: ChangeEvent[] = []
    this.#sincePage = events
    try {
      const page = await read()
      if (this.#sincePage !== events) return
      const { notifications } = this.contents
      const older = events.reduce(applyEvent, { ...this.contents, ...page }).notifications
      const known = new Set(notifications.map(({ id }) => id))
      const all = [...notifications, ...older.filter(({ id }) => !known.has(id))]
      this.#set({ ...this.contents, notifications: all, nextCursor: page.nextCursor })
    } finally {
      if (this.#sincePage === events) this.#sincePage = undefined
    }
  }

  /** Applies the next event. @returns false when events before it are missing */
  apply(event: ChangeEvent): boolean {
    const { seq } = this.contents
    if (seq === undefined || event.id <= seq) return true
    if (event.id > seq + 1) return false
    for (const pending of this.#pending) if (concerns(event, pending.change)) pending.isOverruled = true
    if (event.event === 'notification.updated') this.#sincePage?.push(event)
    this.#set(applyEvent(this.contents, event))
    return true
  }

  /** Shows a change at once, and takes it back if the server refuses it. */
  async change(change: Change, send: () => Promise<unknown>): Promise<void> {
    const pending: Pending = { change, isOverruled: false }
    this.#pending.add(pending)
    this.#show()
    try {
      await send()
      if (!pending.isOverruled) this.contents = applyChange(this.contents, change)
    } finally {
      this.#pending.delete(pending)
      this.#show()
    }
  }

  #set(contents: Contents): void {
    this.contents = contents
    this.#show()
  }

  #show(): void {
    let contents = this.contents
    for (const { change } of this.#pending) contents = applyChange(contents, change)
    this.#state = stateOf(contents, this.#status)
    this.#onChange()
  }
}

function stateOf({ notifications, unreadCount, nextCursor, seq }: Contents, status: InboxStatus): InboxState {
  return { notifications, unreadCount, status, isLoaded: seq !== undefined, hasMore: nextCursor !== null }
}
