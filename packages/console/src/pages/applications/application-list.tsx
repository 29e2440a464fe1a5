import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { answer, api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { hasDraft, useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
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
  {
    id: 'created',
    header: 'Created',
    cell: ({ created_at }) => (
      <span className="text-soft">
        <Time at={created_at} />
      </span>
    ),
    align: 'right',
  },
]

const draftName = 'application:new'

export function ApplicationList() {
  const navigate = useNavigate()
  const [creating, setCreating] = useState(() => hasDraft(draftName))
  const list = useApplicationList(useCursor())
  const { data } = list
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      New application
    </Button>
  )
  return (
    <>
      <PageHeader title="Applications" lead="What sends: each application has its own keys, events and settings.">
        {data?.items.length ? create : null}
      </PageHeader>
      <ListPanel
        list={list}
        label="Applications"
        columns={columns}
        rowId={({ application_id }) => application_id}
        onOpen={({ application_id }) => void navigate(`/applications/${application_id}`)}
        expected={4}
        empty={
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
