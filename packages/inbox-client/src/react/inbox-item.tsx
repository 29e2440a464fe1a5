import type { InboxNotification } from '../index.ts'
import { CrossIcon, DotIcon, TickIcon } from './icons.tsx'
import type { InboxLabels } from './labels.ts'
import { safeUrl } from './safe-url.ts'
import { timeAgo } from './time-ago.ts'

interface InboxItemProps {
  notification: InboxNotification
  labels: InboxLabels
  locale: string | undefined
  nowMs: number
  onOpen: (event: { preventDefault(): void }) => void
  onMark: (isRead: boolean) => void
  onRemove: () => void
}

/** One notification: a link or button that opens it, and what can be done with it. */
export function InboxItem({ notification, labels, locale, nowMs, onOpen, onMark, onRemove }: InboxItemProps) {
  const { id, title, body, is_read, created_at, data } = notification
  const lang = notification.locale ?? undefined
  const href = safeUrl(data.action_url)
  const avatar = safeUrl(data.avatar_url)
  const titleId = `${id}-title`
  const content = (
    <>
      {avatar && <img className="ni-avatar" src={avatar} alt="" loading="lazy" referrerPolicy="no-referrer" />}
      <span className="ni-text">
        <span className="ni-title" id={titleId} dir="auto">
          {/* With a direction of its own, so that the title's follows from the title. */}
          {!is_read && (
            <span className="ni-hidden" dir="auto">
              {labels.unread}:{' '}
            </span>
          )}
          <span lang={lang}>{title}</span>
        </span>
        {body !== '' && (
          <span className="ni-body" dir="auto" lang={lang}>
            {body}
          </span>
        )}
        <time className="ni-time" dateTime={created_at}>
          {timeAgo(created_at, nowMs, locale)}
        </time>
      </span>
    </>
  )
  return (
    <li className="ni-item" data-unread={!is_read || undefined}>
      {href ? (
        <a className="ni-open" href={href} onClick={onOpen}>
          {content}
        </a>
      ) : (
        <button className="ni-open" type="button" onClick={onOpen}>
          {content}
        </button>
      )}
      <span className="ni-actions">
        <ItemAction
          label={is_read ? labels.markUnread : labels.markRead}
          about={titleId}
          onClick={() => onMark(!is_read)}
        >
          {is_read ? <DotIcon /> : <TickIcon />}
        </ItemAction>
        <ItemAction label={labels.remove} about={titleId} onClick={onRemove}>
          <CrossIcon />
        </ItemAction>
      </span>
    </li>
  )
}

interface ItemActionProps {
  label: string
  /** Id of the title, so that every button has a name of its own. */
  about: string
  onClick: () => void
  children: React.ReactNode
}

function ItemAction({ label, about, onClick, children }: ItemActionProps) {
  return (
    <button
      className="ni-action"
      type="button"
      title={label}
      aria-label={label}
      aria-describedby={about}
      onClick={onClick}
    >
      {children}
    </button>
  )
}
