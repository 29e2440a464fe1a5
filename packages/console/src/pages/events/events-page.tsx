import { Navigate, useParams } from 'react-router'
import { useApplications } from '../../api/applications.ts'
import { useHasPermission } from '../../api/me.ts'
import { ErrorState, Forbidden } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { EventList } from './event-list.tsx'
import { EventPage } from './event-page.tsx'

const lastKey = 'events:application'
const remember = (id: string) => sessionStorage.setItem(lastKey, id)

/** The events of an application, or one event with its templates. */
export function EventsPage() {
  const { applicationId, eventKey } = useParams()
  if (applicationId && eventKey) {
    return <EventPage key={`${applicationId}/${eventKey}`} id={{ applicationId, eventKey }} />
  }
  if (applicationId) remember(applicationId)
  if (applicationId) return <EventList key={applicationId} applicationId={applicationId} />
  return <FirstApplication />
}

/** Redirects an address without an application to the one that was visited last, or else to the newest. */
function FirstApplication() {
  const may = useHasPermission()
  const { data, error, refetch } = useApplications()
  const last = sessionStorage.getItem(lastKey)
  const first = data?.items.find(({ application_id }) => application_id === last) ?? data?.items[0]
  if (first) return <Navigate to={`/events/${first.application_id}`} replace />
  return (
    <>
      <PageHeader title="Events" />
      <Panel className={data ? '' : 'p-4'}>
        {!may('applications:manage') ? (
          <Forbidden permission="applications:manage" />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <EmptyState title="No applications yet">Create an application first: events belong to one.</EmptyState>
        ) : (
          <Skeleton lines={6} />
        )}
      </Panel>
    </>
  )
}
