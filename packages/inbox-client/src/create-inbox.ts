import { type ApiOptions, createApi, readPage } from './api.ts'
import { type Delays, delayOf, pause } from './delays.ts'
import { followStream, type News } from './follow-stream.ts'
import { InboxError } from './inbox-error.ts'
import type { PreferenceChange, Preferences } from './preferences.ts'
import { type Channel, canShare, shareStream } from './share-stream.ts'
import { type InboxState, nothing } from './state.ts'
import { Store } from './store.ts'

export interface InboxOptions extends ApiOptions {
  /** Whether tabs of one browser share a stream, where the browser can. Default true. */
  readonly share?: boolean
  readonly delays?: Delays
}

/** The inbox of one user. */
export interface InboxClient {
  /** The current snapshot. */
  getState(): InboxState
  /**
   * Calls back at each change. The stream is open while there are subscribers; subscribing again later delivers what
   * was missed.
   * @returns a function that unsubscribes
   */
  subscribe(onChange: () => void): () => void
  /** Marks a notification as read or unread. Shown at once, and taken back when it fails. @throws InboxError */
  markRead(id: string, isRead?: boolean): Promise<void>
  /** Marks all notifications as read. @throws InboxError */
  markAllRead(): Promise<void>
  /** Deletes a notification. @throws InboxError */
  remove(id: string): Promise<void>
  /** Loads older notifications, if there are any. @throws InboxError */
  loadMore(): Promise<void>
  /** What the user receives. @param locale language of names and descriptions, BCP 47 @throws InboxError */
  getPreferences(locale?: string): Promise<Preferences>
  /**
   * Makes or removes up to 100 choices of the user.
   * @returns what follows from them
   * @throws InboxError with the code `topic_is_required` or `topic_not_found`: then none is made
   */
  changePreferences(rules: readonly PreferenceChange[], locale?: string): Promise<Preferences>
  /**
   * Calls back when preferences may have changed: anywhere, or unseen while the stream was away. It needs a subscriber.
   * @returns a function that unsubscribes
   */
  onPreferencesChanged(tell: () => void): () => void
  /** Connects again, also after `denied`. */
  reload(): void
}

/** What tabs tell each other: the leader its news, the others that they have joined or lack events. */
type Message = News | { kind: 'hello'; from: string }

/**
 * Makes the client of a user's inbox. It connects at the first subscription.
 * @example
 * const getToken = async () => {
 *   const response = await fetch('/inbox-token', { method: 'POST' })
 *   if (!response.ok) throw new Error(`no token: ${response.status}`)
 *   return (await response.json()).token
 * }
 * const inbox = createInbox({ url: 'https://api.example.com', getToken })
 * const stop = inbox.subscribe(() => console.log(inbox.getState().unreadCount))
 */
export function createInbox(options: InboxOptions): InboxClient {
  const { share = true, delays } = options
  const api = createApi(options, () => {
    stop()
    // The next user of the browser must not see it.
    store.replace(nothing)
    store.status = 'denied'
  })
  const subscribers = new Set<() => void>()
  const watchers = new Set<() => void>()
  const tellWatchers = () => {
    for (const tell of watchers) tell()
  }
  let wasLive = false
  const store = new Store(() => {
    for (const tell of subscribers) tell()
    const isLive = store.status === 'live'
    if (isLive && !wasLive) tellWatchers()
    wasLive = isLive
  })
  const me = String(Math.random())
  let session: AbortController | undefined
  let loadingMore: Promise<void> | undefined

  const tell = (news: News, channel: Channel<Message> | undefined) => {
    if (news.kind === 'preferences') tellWatchers()
    channel?.send(news)
  }
  const lead = (channel: Channel<Message> | undefined, signal: AbortSignal) =>
    followStream({ api, store, delays, tell: (news) => tell(news, channel) }, signal)
  const hear = (message: Message, channel: Channel<Message>, isLeader: boolean) => {
    const { contents, status } = store
    const ask = () => channel.send({ kind: 'hello', from: me })
    if (message.kind === 'hello') {
      const isLoaded = isLeader && contents.seq !== undefined
      if (isLoaded) channel.send({ kind: 'contents', contents, status, to: message.from })
    } else if (isLeader) return
    else if (message.kind === 'preferences') tellWatchers()
    else if (message.kind === 'event') {
      if (!store.apply(message.event)) ask()
    } else {
      if (message.kind === 'contents' && (message.to ?? me) === me) {
        const isNewer = !message.to || (message.contents.seq ?? 0) > (contents.seq ?? -1)
        if (isNewer) store.replace(message.contents)
      }
      store.status = message.status
      // Nobody led when this tab joined, and a new leader that resumes loads nothing.
      if (store.contents.seq === undefined) ask()
    }
  }
  const run = async (signal: AbortSignal) => {
    store.status = 'connecting'
    if (!share || !canShare()) return lead(undefined, signal)
    const user = await knownUser(signal)
    if (signal.aborted || user === null) return
    if (user === undefined) return lead(undefined, signal)
    const name = `notify-inbox ${options.url} ${user}`
    const join = ({ send }: Channel<Message>) => send({ kind: 'hello', from: me })
    await shareStream<Message>({ name, lead, hear, join }, signal).catch(() => lead(undefined, signal))
  }
  /** Who shares is known by the token; a backend that fails is asked again. Null when it refuses. */
  const knownUser = async (signal: AbortSignal) => {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        return await api.user()
      } catch (error) {
        if (error instanceof InboxError && error.isDenied) {
          if (!signal.aborted) store.status = 'denied'
          return null
        }
        await pause(delayOf(attempt, 0, delays), signal)
      }
    }
    return null
  }
  const start = () => {
    const started = new AbortController()
    session = started
    void run(started.signal)
      .catch((error) => {
        // For example in a browser that is too old, where trying again changes nothing.
        console.error(error)
        if (session === started) store.status = 'denied'
      })
      .finally(() => {
        if (session === started) session = undefined
      })
  }
  const stop = () => {
    session?.abort()
    session = undefined
  }
  const preferences = async (method: string, locale?: string, body?: object) => {
    const search = locale === undefined ? '' : `?locale=${encodeURIComponent(locale)}`
    const response = await api.call(method, `/preferences${search}`, body && { body })
    return response.json() as Promise<Preferences>
  }
  const itemPath = (id: string) => `/inbox/${encodeURIComponent(id)}`
  const loadNext = async () => {
    const { nextCursor } = store.contents
    if (nextCursor === null) return
    await store.extend(async () => {
      const page = await readPage(api, `?cursor=${encodeURIComponent(nextCursor)}`)
      return { notifications: page.notifications, nextCursor: page.next_cursor }
    })
  }
  return {
    getState: () => store.state,
    subscribe(onChange) {
      // Two subscriptions may use one function.
      const tell = () => onChange()
      subscribers.add(tell)
      if (!session && store.status !== 'denied') start()
      return () => {
        subscribers.delete(tell)
        // React unsubscribes and subscribes again in one go.
        setTimeout(() => {
          if (subscribers.size > 0 || !session) return
          stop()
          store.status = 'idle'
        })
      }
    },
    markRead: (id, isRead = true) =>
      store.change({ kind: 'mark', id, isRead }, () => api.call('PATCH', itemPath(id), { body: { is_read: isRead } })),
    markAllRead() {
      const ids = new Set(store.state.notifications.map(({ id }) => id))
      return store.change({ kind: 'read-all', ids }, () => api.call('POST', '/inbox/read-all'))
    },
    remove: (id) =>
      store.change({ kind: 'delete', id }, () =>
        api.call('DELETE', itemPath(id)).catch((error: InboxError) => {
          if (error.status !== 404) throw error
        }),
      ),
    loadMore() {
      loadingMore ??= loadNext().finally(() => {
        loadingMore = undefined
      })
      return loadingMore
    },
    getPreferences: (locale) => preferences('GET', locale),
    changePreferences: (rules, locale) => preferences('PATCH', locale, { rules }),
    onPreferencesChanged(onChange) {
      const watch = () => onChange()
      watchers.add(watch)
      return () => void watchers.delete(watch)
    },
    reload() {
      stop()
      store.status = 'idle'
      if (subscribers.size > 0) start()
    },
  }
}
