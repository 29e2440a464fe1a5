import { Plus } from 'lucide-react'
import { useNavigate } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { languageName } from '../../ui/language-name.ts'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { NewLayout } from './new-layout.tsx'
import { type LayoutSummary, useLayouts } from './queries.ts'

const columns: Column<LayoutSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    grow: 'always',
  },
  {
    id: 'application',
    header: 'Application',
    cell: ({ application_id }) =>
      application_id === null ? <span className="text-soft">All</span> : <ApplicationName id={application_id} />,
    wide: true,
  },
  {
    id: 'languages',
    header: 'Languages',
    cell: ({ locales }) => <span className="text-soft">{locales.map(languageName).join(', ')}</span>,
    wide: true,
  },
  { id: 'version', header: 'Version', cell: ({ version }) => version, align: 'right' },
  timeColumn('Changed', ({ updated_at }) => updated_at),
]

/** The layouts of the tenant, newest first. */
export function LayoutList() {
  const navigate = useNavigate()
  const address = useAddressFilters<{ find?: string }>(['find'])
  const list = useLayouts(address.filters.find ?? '', useCursor())
  const { dialog, show, close } = useUrlDialog<'new'>()
  const open = (id: string) => void navigate(`/layouts/${id}`)
  const add = (
    <Button kind="primary" onClick={() => show('new')}>
      <Plus size={14} aria-hidden />
      New layout
    </Button>
  )
  return (
    <>
      <ListPage
        title="Layouts"
        lead="What stands around the texts of emails: a logo, a footer."
        actions={add}
        address={address}
        searchBy="find"
        searchLabel="Part of a name or id"
        list={list}
        columns={columns}
        rowId={({ layout_id }) => layout_id}
        onOpen={({ layout_id }) => open(layout_id)}
        expected={6}
        noneFound="No layout has this in its name"
        noneYet={
          <EmptyState title="No layouts yet" action={add}>
            Create one for the parts that all your emails share. The email templates of events and stored templates
            choose it, and a request with content of its own names it by layout_id.
          </EmptyState>
        }
      />
      {dialog === 'new' ? <NewLayout onCreated={open} onClose={close} /> : null}
    </>
  )
}
