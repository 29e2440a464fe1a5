import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type SubscriptionFilters, useSubscriptions } from './queries.ts'
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
  timeColumn('Created', ({ created_at }) => created_at, { wide: true }),
]

export function State({ subscription: { status, failing_since } }: { subscription: Subscription }) {
  if (status === 'active' && failing_since) return <Badge tone="warn">Failing</Badge>
  return <Badge tone={subscriptionStatuses[status].tone}>{subscriptionStatuses[status].name}</Badge>
}

const names = ['find', 'application_id'] as const

/** The subscriptions of the tenant, newest first. */
export function SubscriptionList({ create }: { create: ReactNode }) {
  const navigate = useNavigate()
  const address = useAddressFilters<SubscriptionFilters>(names)
  const list = useSubscriptions(address.filters, useCursor())
  return (
    <ListPage
      title="Webhooks"
      lead="Addresses that are notified when a notification was delivered or failed."
      actions={create}
      address={address}
      searchBy="find"
      searchLabel="Part of an address"
      filters={<ApplicationFilter {...address.field('application_id')} />}
      list={list}
      columns={columns}
      rowId={({ subscription_id }) => subscription_id}
      onOpen={({ subscription_id }) => void navigate(`/webhooks/${subscription_id}`)}
      expected={6}
      noneFound="No subscription matches these filters"
      noneYet={
        <EmptyState title="There is no subscription yet" action={create}>
          Create one with an https URL of yours. Each event is signed, sent to it, and repeated until it answers 2xx.
        </EmptyState>
      }
    />
  )
}
