import type { ComponentType } from 'react'
import { createBrowserRouter, isRouteErrorResponse, Navigate, useRouteError } from 'react-router'
import { useHasPermission } from '../api/me.ts'
import { useNewestItem } from '../api/newest-item.ts'
import { type ConsolePage, pages } from '../pages.tsx'
import { ErrorState, Forbidden } from '../ui/error-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { loadPage } from './load-page.ts'
import { Shell, ShellSkeleton } from './shell.tsx'

export function createRouter() {
  return createBrowserRouter(
    [
      {
        path: '/',
        element: <Shell />,
        errorElement: <Fault />,
        hydrateFallbackElement: <ShellSkeleton />,
        children: [
          {
            errorElement: <Fault />,
            children: [
              { index: true, element: <Start /> },
              ...pages.map((page) => ({
                path: page.rest ? `${page.path}/${page.rest}` : page.path,
                lazy: async () => ({ element: <Guarded page={page} component={await loadPage(page)} /> }),
              })),
              { path: '*', element: <EmptyState title="There is no such page">Press Ctrl-K to find one.</EmptyState> },
            ],
          },
        ],
      },
    ],
    { basename: '/console' },
  )
}

function Start() {
  const may = useHasPermission()
  const newest = useNewestItem({ polls: false })
  const first = pages.find(({ permission }) => may(permission))
  if (newest.isLoading) return <Skeleton lines={6} />
  if (newest.data === null && may('applications:manage')) return <Navigate to="/get-started" replace />
  if (first) return <Navigate to={`/${first.path}`} replace />
  return <Refused title="Console" permission={pages[0]?.permission ?? ''} />
}

function Guarded({ page, component: Page }: { page: ConsolePage; component: ComponentType }) {
  const may = useHasPermission()
  if (page.permission === null || may(page.permission)) return <Page />
  return <Refused title={page.title} permission={page.permission} />
}

function Refused({ title, permission }: { title: string; permission: string }) {
  return (
    <>
      <PageHeader title={title} />
      <Forbidden permission={permission} />
    </>
  )
}

/** A page that cannot be shown. */
function Fault() {
  const error = useRouteError()
  const shown = isRouteErrorResponse(error) ? new Error(`${error.status} ${error.statusText}`) : error
  return <ErrorState error={shown} onRetry={() => location.reload()} />
}
