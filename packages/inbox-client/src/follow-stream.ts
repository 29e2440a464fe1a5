import { type Api, readPage } from './api.ts'
import { type Delays, delayOf, pause } from './delays.ts'
import { InboxError } from './inbox-error.ts'
import { readStream } from './read-stream.ts'
import type { Contents, InboxStatus } from './state.ts'
import type { Store } from './store.ts'
import type { ChangeEvent, StreamEvent } from './stream-event.ts'

/** The server sends something every 15 s; a connection that is silent for longer than this is dead. */
const silenceMs = 45_000
/** As often as the server sends heartbeats: other tabs depose a leader that sends them nothing. */
const beatMs = 15_000
/** A connection that held this long was good: the next attempt begins with the shortest delay again. */
const goodMs = 10_000

/** What the stream brought, as other tabs need it. */
export type News =
  /** Sent with each heartbeat as well, and as often while the next connection is waited for. */
  | { kind: 'status'; status: InboxStatus }
  | { kind: 'event'; event: ChangeEvent }
  /** The user's preferences may have changed. */
  | { kind: 'preferences' }
  /** The whole inbox: for all, or in reply to one tab. */
  | { kind: 'contents'; contents: Contents; status: InboxStatus; to?: string }

interface Stream {
  readonly api: Api
  readonly store: Store
  readonly delays: Delays | undefined
  tell(news: News): void
}

/** Keeps the store up to date until the signal aborts or the token is refused. */
export async function followStream(stream: Stream, signal: AbortSignal): Promise<void> {
  const { store, delays, tell } = stream
  const show = (status: InboxStatus) => {
    store.status = status
    tell({ kind: 'status', status })
  }
  for (let attempt = 0; !signal.aborted; attempt++) {
    show(store.contents.seq === undefined ? 'connecting' : 'reconnecting')
    const startedMs = Date.now()
    const { error, retryMs } = await connect(stream, signal, () => show('live'))
    if (signal.aborted) return
    const refusal = error instanceof InboxError ? error : undefined
    if (refusal?.isDenied) {
      store.status = 'denied'
      return
    }
    show('reconnecting')
    if (Date.now() - startedMs >= goodMs) attempt = 0
    const beat = setInterval(() => tell({ kind: 'status', status: 'reconnecting' }), beatMs)
    await pause(delayOf(attempt, Math.max(retryMs, refusal?.retryAfterMs ?? 0), delays), signal)
    clearInterval(beat)
  }
}

interface Ending {
  /** Why the connection ended, unless the server closed it. */
  error?: unknown
  /** What the server asked to wait before the next connection, in milliseconds. */
  retryMs: number
}

/** Opens one connection and takes what it brings until it ends. */
async function connect({ api, store, tell }: Stream, signal: AbortSignal, onLive: () => void): Promise<Ending> {
  const failing = new AbortController()
  const ending = AbortSignal.any([signal, failing.signal])
  /** Events that arrive while the inbox is being loaded. */
  let waiting: ChangeEvent[] | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let retryMs = 0
  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(() => failing.abort(), silenceMs)
  }
  const apply = (event: ChangeEvent) => {
    // The next connection asks for what is missing.
    if (!store.apply(event)) failing.abort()
  }
  /** Loads the inbox: it contains every event up to `head`, and perhaps some of those that wait. */
  const load = async (head: number) => {
    const page = await readPage(api, '', AbortSignal.any([ending, AbortSignal.timeout(silenceMs)]))
    if (ending.aborted) return
    const { notifications, unread_count: unreadCount, next_cursor: nextCursor } = page
    store.replace({ notifications, unreadCount, nextCursor, seq: head })
    waiting?.forEach(apply)
    waiting = undefined
    tell({ kind: 'contents', contents: store.contents, status: 'live' })
    onLive()
  }
  const take = (event: StreamEvent) => {
    if (event.event === 'heartbeat') tell({ kind: 'status', status: store.status })
    else if (event.event === 'preferences.changed') tell({ kind: 'preferences' })
    else if (event.event === 'connection.ready') {
      const { recovered, head_id } = event.data
      if (recovered && store.contents.seq !== undefined) onLive()
      else {
        waiting = []
        load(head_id).catch((error) => failing.abort(error))
      }
    } else if (waiting) waiting.push(event)
    else {
      apply(event)
      tell({ kind: 'event', event })
    }
  }
  const onRetry = (ms: number) => {
    retryMs = ms
  }
  listen()
  try {
    const { seq } = store.contents
    const headers = { accept: 'text/event-stream', ...(seq !== undefined && { 'last-event-id': String(seq) }) }
    const response = await api.call('GET', '/in-app/stream', { headers, signal: ending })
    await readStream(response, { onEvent: take, onData: listen, onRetry })
    return { retryMs }
  } catch (error) {
    return { error: failing.signal.aborted ? failing.signal.reason : error, retryMs }
  } finally {
    clearTimeout(silence)
    failing.abort()
  }
}
