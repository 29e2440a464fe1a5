import { useNavigate, useParams, useSearchParams } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { MaskedCell } from '../../ui/masked-recipient.tsx'
import { numberText } from '../../ui/number-text.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { ActivityDrawer } from './activity-drawer.tsx'
import { FilterBar, useFilters } from './filters.tsx'
import { exportActivity, useActivity } from './queries.ts'
import { RetryAll } from './retry-all.tsx'
import { RetryJobs } from './retry-jobs.tsx'
import { SummaryPanel } from './summary-panel.tsx'
import { type ActivityItem, statuses } from './words.ts'

const columns: Column<ActivityItem>[] = [
  {
    id: 'recipient',
    header: 'Recipient',
    cell: (item) => (
      <>
        <MaskedCell of={item} />
        {/* On a telephone there is no column for it. */}
        <EventOf item={item} className="text-xs md:hidden" />
      </>
    ),
    grow: 'narrow',
  },
  {
    id: 'event',
    header: 'Event',
    cell: (item) => <EventOf item={item} />,
    wide: true,
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel], wide: true },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>,
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ failure_reason }) =>
      failure_reason && <PlainText className="block truncate text-soft">{failure_reason}</PlainText>,
    wide: true,
    grow: 'wide',
  },
  {
    id: 'application',
    header: 'Application',
    cell: ({ application_name, mode }) => (
      <>
        <PlainText className="inline-block max-w-48 truncate align-middle">{application_name}</PlainText>
        {mode === 'test' ? <Badge className="ml-1.5">Test</Badge> : null}
      </>
    ),
    wide: true,
  },
  timeColumn('Created', ({ created_at }) => created_at),
]

/** Without reasons their column is as narrow as its header. */
const withoutReasons = columns.map(
  ({ grow: _, ...column }): Column<ActivityItem> =>
    column.id === 'recipient' ? { ...column, grow: 'always' } : column,
)

/** The event of a message, and its short id. */
function EventOf({ item, className = '' }: { item: ActivityItem; className?: string }) {
  const { transaction_id, event_key } = item
  return (
    <span className={`block truncate ${className}`}>
      {event_key === null ? (
        <span className="text-faint">{transaction_id.startsWith('otp_') ? 'One-time code' : 'No event'}</span>
      ) : (
        <PlainText>{event_key}</PlainText>
      )}{' '}
      <code className="font-mono text-xs text-faint">{shortId(transaction_id)}</code>
    </span>
  )
}

/** The end of an id, which differs between rows. */
const shortId = (id: string) => `…${id.slice(-6)}`

/** The live list of all notifications and codes with their states. */
export function ActivityPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { filters, clear, field } = useFilters()
  const list = useActivity(filters, useCursor(), id !== undefined)
  const { data } = list
  const go = (path: string) => void navigate({ pathname: path, search: search.toString() })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <PageHeader title="Activity" lead="Every message and code, newest first. The list updates by itself.">
        <ExportButton fileName="activity.csv" read={() => exportActivity(filters)} />
        <RetryAll filters={filters} />
      </PageHeader>
      <FilterBar of={field} />
      <RetryJobs />
      <SummaryPanel filters={filters} paused={id !== undefined} />
      <ListPanel
        list={list}
        label="Activity"
        columns={data?.items.some(({ failure_reason }) => failure_reason) ? columns : withoutReasons}
        rowId={({ transaction_id }) => transaction_id}
        onOpen={({ transaction_id }) => go(`/activity/${transaction_id}`)}
        openId={id}
        empty={isFiltered ? <NothingFound onClear={clear} /> : <NothingSent />}
        count={data && countText(data.total_count, data.total_count_capped)}
      />
      {id ? <ActivityDrawer key={id} id={id} onClose={() => go('/activity')} /> : null}
    </>
  )
}

const countText = (count: number, capped: boolean) =>
  `${numberText(count)}${capped ? ' or more' : ''} ${count === 1 ? 'item' : 'items'}`

function NothingSent() {
  return (
    <EmptyState title="Nothing has been sent yet">
      Send a notification with an API key; it appears here within seconds. The{' '}
      <a href="/docs" className="text-accent underline underline-offset-2">
        API reference
      </a>{' '}
      has a request to copy.
    </EmptyState>
  )
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="Nothing matches these filters" action={<Button onClick={onClear}>Clear the filters</Button>}>
      A recipient is found by the whole number or address only.
    </EmptyState>
  )
}
