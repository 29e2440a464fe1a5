import { Plus } from 'lucide-react'
import { useNavigate } from 'react-router'
import { namesOf } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { NewTemplate } from './new-template.tsx'
import { type TemplateSummary, useTemplates } from './queries.ts'

const columns: Column<TemplateSummary>[] = [
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
    id: 'channels',
    header: 'Channels',
    cell: ({ channels }) => <span className="text-soft">{namesOf(channels)}</span>,
    wide: true,
  },
  { id: 'version', header: 'Version', cell: ({ version }) => version, align: 'right' },
  timeColumn('Changed', ({ updated_at }) => updated_at),
]

/** The stored templates of the tenant, newest first. */
export function TemplateList() {
  const navigate = useNavigate()
  const address = useAddressFilters<{ find?: string }>(['find'])
  const list = useTemplates(address.filters.find ?? '', useCursor())
  const { dialog, show, close } = useUrlDialog<'new'>()
  const open = (id: string) => void navigate(`/templates/${id}`)
  const add = (
    <Button kind="primary" onClick={() => show('new')}>
      <Plus size={14} aria-hidden />
      New template
    </Button>
  )
  return (
    <>
      <ListPage
        title="Templates"
        lead="Texts that a notification names by template_id, without an event."
        actions={add}
        address={address}
        searchBy="find"
        searchLabel="Part of a name or id"
        list={list}
        columns={columns}
        rowId={({ template_id }) => template_id}
        onOpen={({ template_id }) => open(template_id)}
        expected={6}
        noneFound="No template has this in its name"
        noneYet={
          <EmptyState title="No templates yet" action={add}>
            Most messages belong to events, which have templates of their own. Create one here for texts that several
            applications share, and send its template_id with the variables.
          </EmptyState>
        }
      />
      {dialog === 'new' ? <NewTemplate onCreated={open} onClose={close} /> : null}
    </>
  )
}
