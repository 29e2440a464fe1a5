import { Plus } from 'lucide-react'
import { useNavigate } from 'react-router'
import { namesOf } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationSwitch } from '../../ui/application-choice.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { NewEvent } from './new-event.tsx'
import { type EventFilters, type EventSummary, useEvents } from './queries.ts'
import { statuses } from './words.ts'

const columns: Column<EventSummary>[] = [
  {
    id: 'key',
    header: 'Key',
    cell: ({ event_key }) => <code className="block truncate font-mono text-xs">{event_key}</code>,
    grow: 'narrow',
  },
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    wide: true,
    grow: 'wide',
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, has_draft }) => (
      <span className="flex gap-1.5">
        <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>
        {has_draft ? <Badge tone="busy">Draft changes</Badge> : null}
      </span>
    ),
  },
  {
    id: 'channels',
    header: 'Channels',
    cell: ({ allowed_channels }) => <span className="text-soft">{namesOf(allowed_channels)}</span>,
    wide: true,
  },
  {
    id: 'version',
    header: 'Version',
    cell: ({ status, version }) => (status === 'draft' ? <span className="text-faint">None</span> : version),
    align: 'right',
    wide: true,
  },
  timeColumn('Changed', ({ updated_at }) => updated_at, { wide: true }),
]

const statusOptions = Object.entries(statuses).map(([value, { name }]) => ({ value, label: name }))

/** The events of an application by key. */
export function EventList({ applicationId }: { applicationId: string }) {
  const navigate = useNavigate()
  const { dialog, show, close } = useUrlDialog<'new'>()
  const address = useAddressFilters<EventFilters>(['find', 'status'])
  const list = useEvents(applicationId, address.filters, useCursor())
  const open = (key: string) => void navigate(`/events/${applicationId}/${encodeURIComponent(key)}`)
  const add = (
    <Button kind="primary" onClick={() => show('new')}>
      <Plus size={14} aria-hidden />
      New event
    </Button>
  )
  return (
    <>
      <ListPage
        title="Events"
        lead="What an application sends: templates for each channel, under a key."
        actions={add}
        address={address}
        searchBy="find"
        searchLabel="Part of a key or name"
        filters={
          <>
            <ApplicationSwitch value={applicationId} onChange={(id) => void navigate(`/events/${id}`)} />
            <FilterChoice label="Status" options={statusOptions} {...address.field('status')} />
          </>
        }
        list={list}
        columns={columns}
        rowId={({ event_key }) => event_key}
        onOpen={({ event_key }) => open(event_key)}
        noneFound="No event matches these filters"
        noneYet={
          <EmptyState title="No events yet" action={add}>
            Create one, write its templates and publish it. A notification then names its key and the variables.
          </EmptyState>
        }
      />
      {dialog === 'new' ? <NewEvent applicationId={applicationId} onCreated={open} onClose={close} /> : null}
    </>
  )
}
