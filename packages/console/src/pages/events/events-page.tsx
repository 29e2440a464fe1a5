import { useParams } from 'react-router'
import { FirstApplication, rememberApplication } from '../../ui/first-application.tsx'
import { EventList } from './event-list.tsx'
import { EventPage } from './event-page.tsx'

/** The events of an application, or one event with its templates. */
export function EventsPage() {
  const { applicationId, eventKey } = useParams()
  if (applicationId) rememberApplication(applicationId)
  if (applicationId && eventKey) {
    return <EventPage key={`${applicationId}/${eventKey}`} id={{ applicationId, eventKey }} />
  }
  if (applicationId) return <EventList key={applicationId} applicationId={applicationId} />
  return <FirstApplication title="Events" path="/events" />
}
