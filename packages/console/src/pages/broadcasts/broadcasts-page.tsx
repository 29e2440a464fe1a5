import { useNavigate, useParams, useSearchParams } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useMode } from '../../ui/mode.ts'
import { ofMode } from '../../ui/of-mode.ts'
import { useCursor } from '../../ui/pager.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { BroadcastDrawer } from './broadcast-drawer.tsx'
import { type Broadcast, type Filters, useBroadcasts } from './queries.ts'
import { Progress, StateBadge } from './words.tsx'

const columns: Column<Broadcast>[] = [
  { id: 'progress', header: 'Progress', cell: (broadcast) => <Progress broadcast={broadcast} />, grow: 'always' },
  { id: 'status', header: 'State', cell: ({ status }) => <StateBadge status={status} /> },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel], wide: true },
  {
    id: 'application',
    header: 'Application',
    cell: ({ application_id, mode }) => (
      <>
        <ApplicationName id={application_id} />
        {mode === 'test' ? <Badge className="ml-1.5">Test</Badge> : null}
      </>
    ),
    wide: true,
  },
  timeColumn('Begun', ({ created_at }) => created_at, { wide: true }),
]

/** Notifications to each member of a list. */
export function BroadcastsPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const address = useAddressFilters<Filters>(['list_id'])
  const { mode } = useMode()
  const list = useBroadcasts({ ...address.filters, ...(mode ? { mode } : {}) }, useCursor())
  const go = (path: string) => void navigate({ pathname: path, search: search.toString() })
  return (
    <>
      <ListPage
        title="Broadcasts"
        lead="Notifications that an application sends to each member of a list."
        address={address}
        searchBy="list_id"
        searchLabel="Id of a list"
        list={list}
        columns={columns}
        rowId={({ broadcast_id }) => broadcast_id}
        onOpen={({ broadcast_id }) => go(`/broadcasts/${broadcast_id}`)}
        openId={id}
        noneFound="No broadcast was sent to this list"
        noneYet={
          <EmptyState title={`There are no ${ofMode(mode, 'broadcasts')} yet`}>
            An application begins one with POST /api/v1/lists/{'{list_id}'}/notifications.
          </EmptyState>
        }
      />
      {id ? <BroadcastDrawer key={id} id={id} onClose={() => go('/broadcasts')} /> : null}
    </>
  )
}
