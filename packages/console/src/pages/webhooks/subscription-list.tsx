import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useApplications } from '../../api/applications.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pager, useCursor } from '../../ui/pager.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useSubscriptions } from './queries.ts'
import { type Subscription, subscriptionStatuses } from './words.ts'

const columns: Column<Subscription>[] = [
  {
    id: 'url',
    header: 'Address',
    cell: ({ url, description }) => (
      <span className="block min-w-0">
        <PlainText className="block truncate font-medium">{url}</PlainText>
        {description ? <PlainText className="block truncate text-xs text-faint">{description}</PlainText> : null}
      </span>
    ),
    grow: 'always',
  },
  {
    id: 'status',
    header: 'Status',
    cell: (subscription) => <State subscription={subscription} />,
  },
  {
    id: 'application',
    header: 'Application',
    cell: ({ application_id }) => <ApplicationName id={application_id} />,
    wide: true,
  },
  {
    id: 'created',
    header: 'Created',
    cell: ({ created_at }) => (
      <span className="text-soft">
        <Time at={created_at} />
      </span>
    ),
    align: 'right',
    wide: true,
  },
]

export function State({ subscription: { status, failing_since } }: { subscription: Subscription }) {
  if (status === 'active' && failing_since) return <Badge tone="warn">Failing</Badge>
  return <Badge tone={subscriptionStatuses[status].tone}>{subscriptionStatuses[status].name}</Badge>
}

/** The name where the operator may see it, else the id. */
export function ApplicationName({ id }: { id: string }) {
  const name = useApplications().data?.items.find(({ application_id }) => application_id === id)?.name
  if (name === undefined) return <code className="font-mono text-xs">{id}</code>
  return <PlainText className="inline-block max-w-48 truncate align-bottom">{name}</PlainText>
}

export function SubscriptionList({ create }: { create: ReactNode }) {
  const navigate = useNavigate()
  const { filters, set, clear } = useAddressFilters<{ find?: string }>(['find'])
  const { data, error, refetch } = useSubscriptions(useCursor())
  const wanted = filters.find?.toLowerCase() ?? ''
  const rows = data?.items.filter(({ url, description }) => `${url} ${description}`.toLowerCase().includes(wanted))
  return (
    <>
      <PageHeader title="Webhooks" lead="Addresses that are told when a notification was delivered or failed.">
        {create}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <SearchBox label="Part of an address" value={filters.find ?? ''} onSearch={(value) => set('find', value)} />
      </search>
      <Panel>
        {error && !data ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label="Webhook subscriptions"
            columns={columns}
            rows={rows}
            rowId={({ subscription_id }) => subscription_id}
            onOpen={({ subscription_id }) => void navigate(`/webhooks/${subscription_id}`)}
            expected={6}
            empty={
              wanted ? (
                <EmptyState
                  title="No subscription on this page of the list has this in its address"
                  action={<Button onClick={clear}>Show all</Button>}
                />
              ) : (
                <EmptyState title="There is no subscription yet" action={create}>
                  Create one with an https address of yours. Every event is sent to it signed, and again until it
                  answers 2xx.
                </EmptyState>
              )
            }
          />
        )}
        <Pager next={data?.next_cursor} />
      </Panel>
    </>
  )
}
