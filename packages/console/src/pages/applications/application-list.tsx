import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { answer, api } from '../../api/client.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { hasDraft, useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { Form } from '../../ui/form.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type Application, useApplicationList, useRefreshApplications } from './queries.ts'

const columns: Column<Application>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    grow: 'always',
  },
  {
    id: 'id',
    header: 'Id',
    cell: ({ application_id }) => <code className="font-mono text-xs text-soft">{application_id}</code>,
    wide: true,
  },
  timeColumn('Created', ({ created_at }) => created_at),
]

const draftName = 'application:new'

export function ApplicationList() {
  const navigate = useNavigate()
  const [creating, setCreating] = useState(() => hasDraft(draftName))
  const { filters, set, clear } = useAddressFilters<{ find?: string }>(['find'])
  const find = filters.find ?? ''
  const list = useApplicationList(find, useCursor())
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      New application
    </Button>
  )
  return (
    <>
      <PageHeader title="Applications" lead="What sends: each application has its own keys, events and settings.">
        {list.data?.items.length || find ? create : null}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <FilterText label="Part of a name or id" type="search" value={find} onChange={(value) => set('find', value)} />
      </search>
      <ListPanel
        list={list}
        label="Applications"
        columns={columns}
        rowId={({ application_id }) => application_id}
        onOpen={({ application_id }) => void navigate(`/applications/${application_id}`)}
        expected={4}
        empty={
          find ? (
            <EmptyState
              title="No application has this in its name"
              action={<Button onClick={clear}>Show all</Button>}
            />
          ) : (
            <EmptyState title="There is no application yet" action={create}>
              Create one for each product or site that sends messages, then give it an API key.
            </EmptyState>
          )
        }
      />
      {creating ? <NewApplication onClose={() => setCreating(false)} /> : null}
    </>
  )
}

function NewApplication({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const refresh = useRefreshApplications()
  const draft = useDraft(draftName, { name: '' })
  const close = () => {
    draft.clear()
    onClose()
  }
  const create = async () => {
    const { application_id } = await answer(api.POST('/api/v1/applications', { body: draft.value }))
    close()
    void refresh()
    void navigate(`/applications/${application_id}`)
  }
  return (
    <Dialog title="New application" onClose={close}>
      <Form action="Create the application" onSubmit={create} onCancel={close}>
        <TextField
          label="Name"
          name="name"
          value={draft.value.name}
          onChange={(event) => draft.set({ name: event.target.value })}
          hint="As operators see it. You can change it later."
          dir="auto"
          autoFocus
        />
      </Form>
    </Dialog>
  )
}
