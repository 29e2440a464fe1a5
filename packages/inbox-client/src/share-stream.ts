/** A waiting tab deposes the leader after so many ticks without a message. The first comes at any time after the message. */
const maxTicks = 4

/** What tabs tell each other. */
export interface Channel<Message> {
  send(message: Message): void
}

interface Sharing<Message> {
  /** Tabs of the same name share. */
  readonly name: string
  /** Keeps the stream until the signal aborts; runs in one tab at a time. */
  lead(channel: Channel<Message>, signal: AbortSignal): Promise<void>
  /** Takes a message of another tab. */
  hear(message: Message, channel: Channel<Message>, isLeader: boolean): void
  /** Called when this tab starts to wait for the lead, also after it was deposed: then it may have missed messages. */
  join(channel: Channel<Message>): void
  /** Default 15 s, as often as the server sends heartbeats. */
  readonly tickMs?: number
}

/** Whether tabs can share: not in old browsers, and not on pages without a secure context. */
export function canShare(): boolean {
  return typeof BroadcastChannel === 'function' && !!globalThis.navigator?.locks
}

/**
 * Elects one leader among the tabs of the browser by a Web Lock, and passes messages between them. A leader whose tab closes
 * is replaced at once; one that is silent for at least 45 s, because the browser froze it, is deposed. Resolves when the signal
 * aborts or `lead` returns.
 * @throws DOMException when the browser has no locks for this page, as in a sandboxed frame
 */
export async function shareStream<Message>(sharing: Sharing<Message>, signal: AbortSignal): Promise<void> {
  const { name, lead, hear, join, tickMs = 15_000 } = sharing
  const broadcast = new BroadcastChannel(name)
  const channel: Channel<Message> = { send: (message) => broadcast.postMessage(message) }
  let isLeader = false
  let isOver = false
  let ticks = 0
  let depose: (() => void) | undefined
  broadcast.onmessage = ({ data }: MessageEvent) => {
    ticks = 0
    if (!isOver && !signal.aborted) hear(data as Message, channel, isLeader)
  }
  // The ticks differ, so that waiting tabs do not depose each other; they are counted, so that a sleep counts for nothing.
  const watch = setInterval(
    () => {
      if (!isLeader && ++ticks >= maxTicks) depose?.()
    },
    tickMs * (1 + Math.random() / 3),
  )
  try {
    while (!isOver && !signal.aborted) {
      join(channel)
      const deposing = new AbortController()
      const losing = new AbortController()
      depose = () => deposing.abort()
      const hold = async () => {
        isLeader = true
        await lead(channel, AbortSignal.any([signal, losing.signal]))
        if (!losing.signal.aborted) isOver = true
      }
      const waiting = AbortSignal.any([signal, deposing.signal])
      await navigator.locks.request(name, { signal: waiting }, hold).catch(unlessAborted)
      if (deposing.signal.aborted && !signal.aborted) {
        ticks = 0
        await navigator.locks.request(name, { steal: true }, hold).catch(unlessAborted)
      }
      // At once, so that the reply of the new leader is received.
      isLeader = false
      losing.abort()
    }
  } finally {
    clearInterval(watch)
    broadcast.close()
  }
}

/** A request for the lock ends this way when it is withdrawn, and when another tab steals the lock. */
function unlessAborted(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
}
