import { createInbox } from '@notify/inbox-client'
import { Inbox } from '@notify/inbox-client/inbox'
import { Preferences } from '@notify/inbox-client/preferences'
import { useInbox } from '@notify/inbox-client/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '@notify/inbox-client/inbox.css'
import './page.css'
import { postJson } from './post-json.ts'
import { SendForm } from './send-form.tsx'

const element = document.querySelector<HTMLElement>('#page')!
const { apiUrl = '', userId: demoUser = '' } = element.dataset
/** Another user can be named in the address: `/demo/inbox?user=ada`. */
const search = new URLSearchParams(location.search)
const userId = search.get('user') ?? decodeURIComponent(demoUser)
/** Language of the widgets: `/demo/inbox?locale=ar`. */
const locale = search.get('locale')

const inbox = createInbox({
  url: apiUrl,
  // A shop on one machine is back soon.
  delays: { maxMs: 3000 },
  getToken: async () => String((await postJson('/demo/token', { user_id: userId })).token),
})

function Page() {
  const { status, unreadCount } = useInbox(inbox)
  const [isChoosing, setIsChoosing] = useState(false)
  const language = locale === null ? {} : { locale }
  return (
    <>
      <header className="bar">
        <strong>Demo Shop</strong>
        <span className="tools">
          <button type="button" aria-expanded={isChoosing} onClick={() => setIsChoosing(!isChoosing)}>
            Preferences
          </button>
          <Inbox {...language} inbox={inbox} onOpen={(_notification, event) => event.preventDefault()} />
        </span>
      </header>
      {isChoosing && (
        <div className="choices">
          <Preferences {...language} inbox={inbox} />
        </div>
      )}
      <main>
        <h1>Your inbox, live</h1>
        <p>
          You are <strong>{userId}</strong>. The stream is <strong data-testid="status">{status}</strong>, and{' '}
          <strong data-testid="unread">{unreadCount}</strong> of your notifications are unread. Open this page in a
          second tab: both share one stream.
        </p>
        <h2>Send a notification</h2>
        <SendForm userId={userId} />
      </main>
    </>
  )
}

createRoot(element).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
