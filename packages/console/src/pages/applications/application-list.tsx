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
import { Form } from '../../ui/form.tsx'
import { ListPage } from '../../ui/list-page.tsx'
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
  const address = useAddressFilters<{ find?: string }>(['find'])
  const list = useApplicationList(address.filters.find ?? '', useCursor())
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      New application
    </Button>
  )
  return (
    <>
      <ListPage
        title="Applications"
        lead="What sends: each application has its own keys, events and settings."
        actions={create}
        address={address}
        searchBy="find"
        searchLabel="Part of a name or id"
        list={list}
        columns={columns}
        rowId={({ application_id }) => application_id}
        onOpen={({ application_id }) => void navigate(`/applications/${application_id}`)}
        expected={4}
        noneFound="No application has this in its name"
        noneYet={
          <EmptyState title="There is no application yet" action={create}>
            Create one for each product or site that sends messages, then give it an API key.
          </EmptyState>
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
