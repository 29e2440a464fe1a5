import { namesOf } from '../../channels/table.ts'
import { versionColumns } from '../../edits/version-frame.tsx'
import { useAddress } from '../../ui/address.ts'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { OperatorName } from '../../ui/operator-name.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type EventId, type EventRecord, type EventVersionSummary, useVersions } from './queries.ts'
import { VersionDrawer } from './version-drawer.tsx'

const columns: Column<EventVersionSummary>[] = [
  ...versionColumns,
  {
    id: 'channels',
    header: 'Channels',
    cell: ({ allowed_channels }) => <span className="text-soft">{namesOf(allowed_channels)}</span>,
    wide: true,
  },
  {
    id: 'by',
    header: 'Published by',
    cell: ({ published_by }) =>
      published_by ? <OperatorName id={published_by} /> : <span className="text-faint">The installation</span>,
    wide: true,
  },
  timeColumn('Published', ({ published_at }) => published_at),
]

/** The published versions, newest first. Each can be restored. */
export function Versions({ id, record }: { id: EventId; record: EventRecord }) {
  const { search, change } = useAddress()
  const list = useVersions(id, useCursor())
  const version = search.get('version') ?? undefined
  const show = (shown: string | undefined) => change({ version: shown })
  return (
    <>
      <ListPanel
        list={list}
        label="Versions"
        columns={columns}
        rowId={(row) => String(row.version)}
        onOpen={(row) => show(String(row.version))}
        openId={version}
        expected={4}
        empty={<EmptyState title="Nothing is published yet">Publishing makes the first version.</EmptyState>}
      />
      {version ? (
        <VersionDrawer key={version} id={id} record={record} version={version} onClose={() => show(undefined)} />
      ) : null}
    </>
  )
}
