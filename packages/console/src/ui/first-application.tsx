import { useEffect } from 'react'
import { Navigate } from 'react-router'
import { useApplications } from '../api/applications.ts'
import { useHasPermission } from '../api/me.ts'
import { ErrorState, Forbidden } from './error-state.tsx'
import { PageHeader } from './page-header.tsx'
import { Panel } from './panel.tsx'
import { EmptyState, Skeleton } from './states.tsx'

const lastKey = 'last-application'
/** Read once: a visit in another tab does not change what this one shows. */
let last = localStorage.getItem(lastKey)

/** Remembers the application that was visited last. One of another tenant is not found, and has no effect. */
export function rememberApplication(id: string): void {
  last = id
  localStorage.setItem(lastKey, id)
}

/** The id of the application that was visited last, or else of the newest. */
export function useFirstApplication() {
  const query = useApplications()
  const items = query.data?.items
  const first = (items?.find(({ application_id }) => application_id === last) ?? items?.[0])?.application_id
  useEffect(() => {
    // The newest one stays chosen when another is created.
    if (first) last = first
  }, [first])
  return { ...query, first }
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
