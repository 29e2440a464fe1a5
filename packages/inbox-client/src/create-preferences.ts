import type { InboxClient } from './create-inbox.ts'
import { delayOf } from './delays.ts'
import { InboxError } from './inbox-error.ts'
import { applyPreferences, type PreferenceChange, type Preferences } from './preferences.ts'
import type { InboxStatus } from './state.ts'

/** A snapshot; each change makes a new object. */
export interface PreferencesState extends Preferences {
  /** Whether they have been loaded once; an empty list of topics means that there are none only then. */
  readonly isLoaded: boolean
  /** Whether the last attempt to load them failed; it is repeated. */
  readonly hasFailed: boolean
  /** Of the stream that tells of changes. */
  readonly status: InboxStatus
}

/** The preferences of one user. */
export interface PreferencesClient {
  /** The current snapshot. */
  getState(): PreferencesState
  /**
   * Calls back at each change, wherever it was made. The stream of the inbox is open while there are subscribers.
   * @returns a function that unsubscribes
   */
  subscribe(onChange: () => void): () => void
  /** Makes choices. Shown at once, and taken back when they fail. @throws InboxError */
  change(rules: readonly PreferenceChange[]): Promise<void>
  /** Loads them again. */
  reload(): void
}

/**
 * Makes the store of a user's preferences, which follows changes of other tabs, of the API and of links in messages.
 * @param locale language of names and descriptions, BCP 47
 */
export function createPreferences(inbox: InboxClient, locale?: string): PreferencesClient {
  const subscribers = new Set<() => void>()
  const pending = new Set<readonly PreferenceChange[]>()
  let known: Preferences | undefined
  let hasFailed = false
  let state = stateNow()
  let stop: (() => void) | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let attempts = 0
  let isReadWaiting = false
  /** Requests run one after the other, so that the last answer is the newest. */
  let queue: Promise<unknown> = Promise.resolve()

  function stateNow(): PreferencesState {
    const { status, isLoaded } = inbox.getState()
    // The token of another user has emptied the inbox.
    if (status === 'denied' && !isLoaded) known = undefined
    let shown = known ?? { topics: [], rules: [] }
    for (const rules of pending) shown = applyPreferences(shown, rules)
    return { ...shown, isLoaded: !!known, hasFailed, status }
  }
  const show = () => {
    state = stateNow()
    for (const tell of subscribers) tell()
  }
  const enqueue = (task: () => Promise<void>) => {
    const done = queue.then(task)
    queue = done.catch(() => {})
    return done
  }
  const read = async () => {
    isReadWaiting = false
    if (subscribers.size === 0) return
    try {
      known = await inbox.getPreferences(locale)
      hasFailed = false
      attempts = 0
    } catch (error) {
      hasFailed = true
      const { isDenied = false, retryAfterMs = 0 } = error instanceof InboxError ? error : {}
      clearTimeout(retry)
      if (!isDenied && subscribers.size > 0) retry = setTimeout(refresh, delayOf(attempts++, retryAfterMs))
    }
    show()
  }
  function refresh(): void {
    if (isReadWaiting) return
    isReadWaiting = true
    void enqueue(read)
  }
  const start = () => {
    const stops = [
      inbox.onPreferencesChanged(refresh),
      inbox.subscribe(() => {
        if (inbox.getState().status !== state.status) show()
      }),
    ]
    stop = () => {
      clearTimeout(retry)
      for (const end of stops) end()
      stop = undefined
    }
    refresh()
  }
  return {
    getState: () => state,
    subscribe(onChange) {
      const tell = () => onChange()
      subscribers.add(tell)
      if (!stop) start()
      return () => {
        subscribers.delete(tell)
        // React unsubscribes and subscribes again in one go.
        setTimeout(() => {
          if (subscribers.size === 0) stop?.()
        })
      }
    },
    change(rules) {
      pending.add(rules)
      show()
      return enqueue(async () => {
        try {
          known = await inbox.changePreferences(rules, locale)
        } finally {
          pending.delete(rules)
          show()
        }
      })
    },
    reload() {
      if (inbox.getState().status === 'denied') inbox.reload()
      refresh()
    },
  }
}
