import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { hasDraft } from '../../ui/draft.ts'
import { ListPanel } from '../../ui/list-panel.tsx'
import { useMode } from '../../ui/mode.ts'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { KeyDrawer } from './key-drawer.tsx'
import { stateOf } from './key-words.ts'
import { draftOfNewKey, NewKey } from './new-key.tsx'
import { type ApiKey, useKeyList } from './queries.ts'

const columns: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, mode }) => (
      <span className="flex items-center gap-1.5">
        <PlainText className="truncate">{name}</PlainText>
        {mode === 'test' ? <Badge>Test</Badge> : null}
      </span>
    ),
    grow: 'always',
  },
  {
    id: 'permissions',
    header: 'Permissions',
    cell: ({ permissions }) => <span className="text-soft">{permissions.length || 'none'}</span>,
    wide: true,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (key) => <Badge tone={stateOf(key).tone}>{stateOf(key).name}</Badge>,
  },
  timeColumn('Created', ({ created_at }) => created_at, { wide: true }),
]

/** The API keys of an application. A key's secret is shown once, here. */
export function KeyPanel({ applicationId }: { applicationId: string }) {
  const { key: keyId } = useParams()
  const navigate = useNavigate()
  const [creating, setCreating] = useState(() => hasDraft(draftOfNewKey(applicationId)))
  const [secret, setSecret] = useState<string>()
  const { mode } = useMode()
  const list = useKeyList(applicationId, mode, useCursor())
  const { data } = list
  const [search] = useSearchParams()
  const go = (rest = '') => {
    const params = new URLSearchParams(search)
    params.delete('dialog')
    void navigate({ pathname: `/applications/${applicationId}${rest}`, search: params.toString() })
  }
  const show = (text: string) => {
    setSecret(text)
    setCreating(false)
  }
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      New key
    </Button>
  )
  return (
    <section aria-labelledby="keys">
      <div className="flex min-h-[30px] items-center justify-between pb-2">
        <h2 id="keys" className="text-base font-semibold">
          API keys
        </h2>
        {data?.items.length ? create : null}
      </div>
      <ListPanel
        list={list}
        label="API keys"
        columns={columns}
        rowId={({ key_id }) => key_id}
        onOpen={({ key_id }) => go(`/${key_id}`)}
        openId={keyId}
        expected={3}
        empty={
          <EmptyState
            title={mode ? `This application has no ${mode} key` : 'This application has no key yet'}
            action={create}
          >
            Requests to the API carry a key. Start with a test key: its messages go to the sandbox only.
          </EmptyState>
        }
      />
      {creating ? <NewKey applicationId={applicationId} onCreated={show} onClose={() => setCreating(false)} /> : null}
      {keyId ? (
        <KeyDrawer key={keyId} applicationId={applicationId} keyId={keyId} onSecret={show} onClose={() => go()} />
      ) : null}
      {secret ? (
        <SecretDialog title="The new key" what="API key" secret={secret} onClose={() => setSecret(undefined)} />
      ) : null}
    </section>
  )
}
