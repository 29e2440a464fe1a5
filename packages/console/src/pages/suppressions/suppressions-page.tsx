import { Plus } from 'lucide-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { FilterRecipient } from '../../ui/filter-recipient.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { MaskedCell } from '../../ui/masked-recipient.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
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
    cell: (suppression) => <MaskedCell of={suppression} />,
    grow: 'always',
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel] },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => reasons[reason].name },
  timeColumn('Added', ({ created_at }) => created_at, { wide: true }),
]

/** Recipients that get no messages. */
export function SuppressionsPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const address = useAddressFilters<Filters>(['channel', 'reason', 'recipient_token'])
  const list = useSuppressions(address.filters, useCursor(), id !== undefined)
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
      <ListPage
        title="Suppressions"
        lead="Messages to these recipients are refused. WhatsApp goes by the consents instead."
        actions={add}
        address={address}
        searchBy="recipient_token"
        searchLabel="Whole recipient"
        search={<FilterRecipient label="Whole recipient" {...address.field('recipient_token')} />}
        filters={
          <>
            <FilterChoice label="Channel" options={options(channelNames)} {...address.field('channel')} />
            <FilterChoice label="Reason" options={options(reasonNames)} {...address.field('reason')} />
          </>
        }
        list={list}
        columns={columns}
        rowId={({ suppression_id }) => suppression_id}
        onOpen={({ suppression_id }) => go(`/suppressions/${suppression_id}`)}
        openId={id}
        noneFound="Nothing matches these filters"
        noneFoundHint="A recipient is found by the whole number or address only."
        noneYet={
          <EmptyState title="Nobody is suppressed" action={add}>
            Bounces, complaints and STOP replies appear here automatically. Add recipients who opted out in another way.
          </EmptyState>
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
