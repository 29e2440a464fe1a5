import { Link, useNavigate } from 'react-router'
import { useHasPermission } from '../../api/me.ts'
import { channelNames } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Forbidden } from '../../ui/error-state.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import type { Mode } from '../../ui/mode.ts'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { type ActivityItem, statuses } from '../activity/words.ts'
import { useLastMessages } from './queries.ts'
import { titleFor } from './words.ts'

const columns: Column<ActivityItem>[] = [
  {
    id: 'event',
    header: 'Event',
    cell: ({ event_key }) => (
      <span className="block truncate">
        {event_key === null ? <span className="text-faint">No event</span> : <PlainText>{event_key}</PlainText>}
      </span>
    ),
    grow: 'always',
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel] },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].name}</Badge>,
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ failure_reason }) => <span className="text-soft">{failure_reason}</span>,
    wide: true,
  },
  timeColumn('Created', ({ created_at }) => created_at, { wide: true }),
]

/** The last messages to this address or user id, of all applications. */
export function MessagePanel({ token, of, mode }: { token: string; of: string | undefined; mode: Mode }) {
  const navigate = useNavigate()
  const mayRead = useHasPermission()('activity:read')
  const list = useLastMessages(token, mode)
  const all = (
    <Link to={`/activity?recipient_token=${token}&mode=${mode}`} className="text-accent underline underline-offset-2">
      All of them
    </Link>
  )
  return (
    <TitledSection
      title={titleFor('Last messages', of)}
      lead={mayRead ? <>To this address or user id. {all}</> : undefined}
    >
      {mayRead ? (
        <ListPanel
          label={titleFor('Last messages', of)}
          list={{ ...list, data: list.data && { items: list.data.items, next_cursor: null } }}
          columns={columns}
          rowId={({ transaction_id }) => transaction_id}
          onOpen={({ transaction_id }) =>
            void navigate(`/activity/${transaction_id}?recipient_token=${token}&mode=${mode}`)
          }
          expected={3}
          empty={<EmptyState title="Nothing was sent" />}
        />
      ) : (
        <Panel>
          <Forbidden permission="activity:read" />
        </Panel>
      )}
    </TitledSection>
  )
}
