import { Navigate } from 'react-router'
import { useApplications } from '../api/applications.ts'
import { useHasPermission } from '../api/me.ts'
import { ErrorState, Forbidden } from './error-state.tsx'
import { PageHeader } from './page-header.tsx'
import { Panel } from './panel.tsx'
import { EmptyState, Skeleton } from './states.tsx'

const lastKey = 'last-application'
/** Remembers the application that was visited last. One of another tenant is not found, and has no effect. */
export const rememberApplication = (id: string) => localStorage.setItem(lastKey, id)

/** The id of the application that was visited last, or else of the newest. */
export function useFirstApplication() {
  const query = useApplications()
  const last = localStorage.getItem(lastKey)
  const items = query.data?.items
  const first = items?.find(({ application_id }) => application_id === last) ?? items?.[0]
  return { ...query, first: first?.application_id }
}

interface FirstApplicationProps {
  /** The title of the page. */
  title: string
  /** Below it, the page of each application has its id. */
  path: string
}

/** Redirects an address without an application to the one that was visited last, or else to the newest. */
export function FirstApplication({ title, path }: FirstApplicationProps) {
  const may = useHasPermission()
  const { data, error, refetch, first } = useFirstApplication()
  if (first) return <Navigate to={`${path}/${first}`} replace />
  return (
    <>
      <PageHeader title={title} />
      <Panel className={data ? '' : 'p-4'}>
        {!may('applications:manage') ? (
          <Forbidden permission="applications:manage" />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <EmptyState title="No applications yet">
            Create an application first: {title.toLowerCase()} belong to one.
          </EmptyState>
        ) : (
          <Skeleton lines={6} />
        )}
      </Panel>
    </>
  )
}
