import { useNavigate } from 'react-router'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { channelNames, reasons, type Suppression } from '../suppressions/words.ts'
import { useSuppressionsOf } from './queries.ts'
import { titleFor } from './words.ts'

const columns: Column<Suppression>[] = [
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel], grow: 'always' },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => reasons[reason].name },
  timeColumn('Added', ({ created_at }) => created_at),
]

/** The channels in which the address gets nothing. */
export function SuppressionPanel({ token, of }: { token: string; of: string | undefined }) {
  const navigate = useNavigate()
  const list = useSuppressionsOf(token)
  return (
    <TitledSection title={titleFor('Suppressions', of)}>
      <ListPanel
        label={titleFor('Suppressions', of)}
        list={{ ...list, data: list.data && { items: list.data.items, next_cursor: null } }}
        columns={columns}
        rowId={({ suppression_id }) => suppression_id}
        onOpen={({ suppression_id }) => void navigate(`/suppressions/${suppression_id}?recipient_token=${token}`)}
        expected={1}
        empty={<EmptyState title="The address is not suppressed" />}
      />
    </TitledSection>
  )
}
