import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import { FilterMoment, FilterText } from '../../ui/filter-controls.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { TimePresets } from '../../ui/time-presets.tsx'
import { ActorName } from './actor-name.tsx'
import { AuditDrawer } from './audit-drawer.tsx'
import { type AuditEntry, type AuditFilters, exportAuditLog, useAuditLog } from './queries.ts'

const names = ['action', 'resource_type', 'resource_id', 'actor_id', 'from', 'to'] as const

const columns: Column<AuditEntry>[] = [
  { id: 'action', header: 'Action', cell: ({ action }) => <PlainText>{action}</PlainText> },
  {
    id: 'resource',
    header: 'Resource',
    cell: ({ resource }) => <code className="block truncate font-mono text-xs text-soft">{resource.id}</code>,
    grow: 'wide',
    wide: true,
  },
  {
    id: 'actor',
    header: 'Who',
    cell: ({ actor }) => (
      <span className="block truncate md:max-w-56">
        <ActorName actor={actor} />
      </span>
    ),
    grow: 'narrow',
  },
  timeColumn('When', ({ occurred_at }) => occurred_at),
]

/** The audit log: the caller, the resource and the time of each change. */
export function AuditPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const address = useAddressFilters<AuditFilters>(names)
  const list = useAuditLog(address.filters, useCursor())
  const { data } = list
  const go = (path: string) => void navigate({ pathname: path, search: search.toString() })
  const open = data?.items.find(({ audit_id }) => audit_id === id)
  return (
    <>
      <ListPage
        title="Audit log"
        lead="Every change of settings: who made it, when, and what it was before."
        actions={<ExportButton fileName="audit-log.ndjson" read={() => exportAuditLog(address.filters)} />}
        address={address}
        searchBy="resource_id"
        searchLabel="Resource id"
        filters={
          <>
            <FilterText label="Action" className="max-md:w-full md:w-48" {...address.field('action')} />
            <FilterText label="Who (id)" className="max-md:w-full md:w-48" {...address.field('actor_id')} />
            <TimePresets from={address.field('from')} to={address.field('to')} />
            <FilterMoment label="From" {...address.field('from')} />
            <FilterMoment label="To" {...address.field('to')} />
          </>
        }
        list={list}
        columns={columns}
        rowId={({ audit_id }) => audit_id}
        onOpen={({ audit_id }) => go(`/audit/${audit_id}`)}
        openId={open && id}
        noneFound="No change matches these filters"
        noneFoundHint="Ids and actions are found as a whole only, such as application.changed."
        noneYet={
          <EmptyState title="Nothing has been changed yet">
            Create an application, for example: the change appears here, with your id.
          </EmptyState>
        }
      />
      {open ? <AuditDrawer key={id} entry={open} onClose={() => go('/audit')} /> : null}
      {id && data && !open ? <NotListed onClose={() => go('/audit')} /> : null}
    </>
  )
}

/** The drawer of a link to an entry that has moved to a later page. */
function NotListed({ onClose }: { onClose: () => void }) {
  return (
    <Drawer title="Change" onClose={onClose}>
      <p className="text-soft">This change is not on this page of the list. Filter the log by its resource or time.</p>
    </Drawer>
  )
}
