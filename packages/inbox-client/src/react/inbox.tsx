import { useEffect, useId, useRef, useState } from 'react'
import type { InboxClient, InboxNotification, InboxState } from '../index.ts'
import { languageOf } from './catalogues.ts'
import { BellIcon } from './icons.tsx'
import { InboxList } from './inbox-list.tsx'
import type { InboxLabels } from './labels.ts'
import { useInbox } from './use-inbox.ts'

export type { InboxLabels } from './labels.ts'

export interface InboxProps {
  inbox: InboxClient
  /** `auto`, the default, follows the system. */
  theme?: 'auto' | 'light' | 'dark'
  /** The side of the bell that the popover aligns with. Default `end`. */
  align?: 'start' | 'end'
  /** Replaces words of the language, or adds a language. */
  labels?: Partial<InboxLabels>
  /** Language of the words and times, as a BCP 47 tag; default: English words, and times as the browser writes them. */
  locale?: string
  /** Called when the user opens a notification; `preventDefault` keeps the browser from following its `action_url`. */
  onOpen?: (notification: InboxNotification, event: { preventDefault(): void }) => void
}

const badgeOf = (count: number) => (count > 99 ? '99+' : String(count))

/** A bell with the number of unread notifications, and a popover with the inbox. Needs `inbox.css`. */
export function Inbox({ inbox, theme = 'auto', align = 'end', labels, locale, onOpen }: InboxProps) {
  const state = useInbox(inbox)
  const key = useNumber(inbox)
  const { labels: known, ...written } = languageOf(locale)
  const words = { ...known, ...labels }
  const [isOpen, setIsOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const bell = useRef<HTMLButtonElement>(null)
  const dialogId = useId()
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setIsOpen(false)
    }
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      setIsOpen(false)
      bell.current?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeByKey)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeByKey)
    }
  }, [isOpen])
  return (
    <div className="ni-root" data-theme={theme} data-align={align} ref={root} {...written}>
      <button
        className="ni-bell"
        type="button"
        ref={bell}
        aria-label={words.bell(state.unreadCount)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={isOpen ? dialogId : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        <BellIcon />
        {state.unreadCount > 0 && (
          <span className="ni-badge" aria-hidden="true">
            {badgeOf(state.unreadCount)}
          </span>
        )}
      </button>
      <Arrivals key={`arrivals ${key}`} state={state} words={words} />
      {isOpen && (
        <Popover key={`popover ${key}`} {...{ inbox, state, words, onOpen }} locale={written.lang} id={dialogId} />
      )}
    </div>
  )
}

/** Another number for each inbox: what was shown and announced of the last one is not kept for the next. */
function useNumber(inbox: InboxClient): number {
  const [numbered, setNumbered] = useState({ inbox, number: 0 })
  if (numbered.inbox === inbox) return numbered.number
  const number = numbered.number + 1
  setNumbered({ inbox, number })
  return number
}

interface PopoverProps {
  id: string
  inbox: InboxClient
  state: InboxState
  words: InboxLabels
  locale: string | undefined
  onOpen: InboxProps['onOpen']
}

function Popover({ id, inbox, state, words, locale, onOpen }: PopoverProps) {
  const dialog = useRef<HTMLDivElement>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => dialog.current?.focus(), [])
  const attempt = (action: () => Promise<void>) => {
    setHasFailed(false)
    action().catch(() => setHasFailed(true))
  }
  const { status, unreadCount } = state
  return (
    <div className="ni-popover" id={id} ref={dialog} role="dialog" aria-labelledby={`${id}-heading`} tabIndex={-1}>
      <div className="ni-head">
        <h2 className="ni-heading" id={`${id}-heading`}>
          {words.title}
        </h2>
        <button
          className="ni-link"
          type="button"
          disabled={unreadCount === 0}
          onClick={() => attempt(inbox.markAllRead)}
        >
          {words.markAllRead}
        </button>
      </div>
      <div role="status">{status === 'reconnecting' && <p className="ni-notice">{words.reconnecting}</p>}</div>
      <div role="alert">
        {hasFailed && <p className="ni-notice ni-error">{words.failed}</p>}
        {status === 'denied' && <p className="ni-notice ni-error">{words.denied}</p>}
      </div>
      {status === 'denied' && (
        <button className="ni-more" type="button" onClick={inbox.reload}>
          {words.retry}
        </button>
      )}
      <InboxList {...{ inbox, state, locale, onOpen, attempt }} labels={words} />
    </div>
  )
}

/** The newest notification, and its announcement. */
interface Latest {
  isLoaded: boolean
  id?: string | undefined
  /** Kept when the list is emptied: what is loaded then is older. */
  createdAt?: string | undefined
  text: string
}

const unknown: Latest = { isLoaded: false, text: '' }

/** Reads out what arrives while the page is open. */
function Arrivals({ state, words }: { state: InboxState; words: InboxLabels }) {
  const newest = state.notifications[0]
  const [latest, setLatest] = useState<Latest>(unknown)
  // An emptied page that another tab has shared: the newest one is not known before older ones are loaded.
  const isKnown = state.isLoaded && (newest !== undefined || !state.hasMore || latest.isLoaded)
  // The inbox was emptied.
  if (latest.isLoaded && !state.isLoaded) setLatest(unknown)
  if (isKnown && (!latest.isLoaded || newest?.id !== latest.id)) {
    // Deleting the newest one makes an older one the first.
    const isNew = latest.isLoaded && newest !== undefined && newest.created_at >= (latest.createdAt ?? '')
    setLatest({
      isLoaded: true,
      text: isNew ? words.arrived(newest.title) : '',
      id: newest?.id,
      createdAt: newest?.created_at ?? latest.createdAt,
    })
  }
  return (
    <span className="ni-hidden" role="status">
      {latest.text}
    </span>
  )
}
