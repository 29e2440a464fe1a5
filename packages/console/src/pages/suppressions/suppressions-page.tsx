import { Plus } from 'lucide-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { AddSuppression } from './add-suppression.tsx'
import { type Filters, useSuppressions } from './queries.ts'
import { SuppressionDrawer } from './suppression-drawer.tsx'
import { channelNames, options, reasonNames, reasons, type Suppression } from './words.ts'

const columns: Column<Suppression>[] = [
  {
    id: 'recipient',
    header: 'Recipient',
    cell: ({ recipient_masked }) => <PlainText className="block truncate">{recipient_masked}</PlainText>,
    grow: 'always',
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel] },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => reasons[reason].name },
  timeColumn('Added', ({ created_at }) => created_at, { wide: true }),
]

/** Recipients that nothing is sent to. */
export function SuppressionsPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const { filters, set, clear } = useAddressFilters<Filters>(['channel', 'reason', 'recipient'])
  const list = useSuppressions(filters, useCursor(), id !== undefined)
  const { data } = list
  const { dialog, show, close } = useUrlDialog<'add' | 'remove'>()
  const go = (path: string) => {
    const params = new URLSearchParams(search)
    params.delete('dialog')
    void navigate({ pathname: path, search: params.toString() })
  }
  const add = (
    <PermittedButton needs="providers:manage" kind="primary" onClick={() => show('add')}>
      <Plus size={14} aria-hidden />
      Suppress a recipient
    </PermittedButton>
  )
  return (
    <>
      <PageHeader
        title="Suppressions"
        lead="Messages to these recipients are refused. WhatsApp goes by the consents instead."
      >
        {add}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <FilterText
          label="Whole recipient"
          type="search"
          value={filters.recipient ?? ''}
          onChange={(value) => set('recipient', value)}
        />
        <FilterChoice
          label="Channel"
          value={filters.channel ?? ''}
          options={options(channelNames)}
          onChange={(value) => set('channel', value)}
        />
        <FilterChoice
          label="Reason"
          value={filters.reason ?? ''}
          options={options(reasonNames)}
          onChange={(value) => set('reason', value)}
        />
      </search>
      <ListPanel
        list={list}
        label="Suppressions"
        columns={columns}
        rowId={({ suppression_id }) => suppression_id}
        onOpen={({ suppression_id }) => go(`/suppressions/${suppression_id}`)}
        openId={id}
        empty={
          Object.keys(filters).length > 0 ? (
            <EmptyState
              title="Nothing matches these filters"
              action={<Button onClick={clear}>Clear the filters</Button>}
            >
              A recipient is found by the whole number or address only.
            </EmptyState>
          ) : (
            <EmptyState title="Nobody is suppressed" action={add}>
              Bounces, complaints and answers of STOP appear here by themselves. Add recipients who asked you in another
              way to write to them no more.
            </EmptyState>
          )
        }
      />
      {id && data ? (
        <SuppressionDrawer
          key={id}
          suppression={data.items.find(({ suppression_id }) => suppression_id === id)}
          onClose={() => go('/suppressions')}
        />
      ) : null}
      {dialog === 'add' ? <AddSuppression onClose={close} /> : null}
    </>
  )
}
