import { History } from 'lucide-react'
import { useNavigate, useSearchParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { DeliveryDrawer } from './delivery-drawer.tsx'
import { useDeliveries } from './delivery-queries.ts'
import { type DeliverySummary, deliveryIdOf, deliveryStatuses, lastAnswer, type Subscription } from './words.ts'

const columns: Column<DeliverySummary>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: ({ event_type }) => <PlainText className="block truncate font-mono text-xs">{event_type}</PlainText>,
    grow: 'narrow',
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={deliveryStatuses[status].tone}>{deliveryStatuses[status].name}</Badge>,
  },
  {
    id: 'answer',
    header: 'Last answer',
    cell: (delivery) => <PlainText className="block truncate text-soft">{lastAnswer(delivery)}</PlainText>,
    grow: 'wide',
    wide: true,
  },
  {
    id: 'attempts',
    header: 'Attempts',
    cell: ({ attempts_made }) => <span className="tabular-nums">{attempts_made}</span>,
    align: 'right',
    wide: true,
  },
  timeColumn('Created', ({ created_at }) => created_at),
]

const statusOptions = Object.entries(deliveryStatuses).map(([value, { name }]) => ({ value, label: name }))

interface DeliveriesProps {
  subscription: Subscription
  openId: string | undefined
  /** Asks which exhausted deliveries to replay. */
  onReplay: () => void
}

/** The deliveries to the address, with its answers. */
export function Deliveries({ subscription: { subscription_id, status }, openId, onReplay }: DeliveriesProps) {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { filters, set, clear } = useAddressFilters<{ status?: DeliverySummary['status'] }>(['status'])
  const filter = { status: filters.status, cursor: useCursor() }
  const list = useDeliveries(subscription_id, filter, openId !== undefined)
  const path = `/webhooks/${subscription_id}`
  const go = (pathname: string) => void navigate({ pathname, search: search.toString() })
  const isActive = status === 'active'
  return (
    <section aria-labelledby="deliveries">
      <div className="flex flex-wrap items-center gap-2 pb-3">
        <h2 id="deliveries" className="mr-2 text-base font-semibold">
          Deliveries
        </h2>
        <FilterText
          label="Delivery or webhook-id"
          type="search"
          value=""
          onChange={(text) => text && go(`${path}/${encodeURIComponent(deliveryIdOf(text))}`)}
        />
        <FilterChoice
          label="Status"
          value={filters.status ?? ''}
          options={statusOptions}
          onChange={(value) => set('status', value)}
        />
        <Button
          disabled={!isActive}
          title={isActive ? undefined : 'The subscription is disabled; enable it first'}
          onClick={onReplay}
        >
          <History size={14} aria-hidden />
          Replay since
        </Button>
      </div>
      <ListPanel
        list={list}
        label="Deliveries"
        columns={columns}
        rowId={({ delivery_id }) => delivery_id}
        onOpen={({ delivery_id }) => go(`${path}/${delivery_id}`)}
        openId={openId}
        empty={
          filters.status ? (
            <EmptyState title="No delivery has this status" action={<Button onClick={clear}>Show all</Button>} />
          ) : (
            <EmptyState title="Nothing has been delivered yet">
              Send a test event to see what the address answers. Notifications appear here once they are delivered or
              have failed.
            </EmptyState>
          )
        }
      />
      {openId ? <DeliveryDrawer key={openId} id={openId} isActive={isActive} onClose={() => go(path)} /> : null}
    </section>
  )
}
