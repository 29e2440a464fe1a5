import { useNavigate } from 'react-router'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { useMode } from '../../ui/mode.ts'
import { numberText } from '../../ui/number-text.ts'
import { ofMode } from '../../ui/of-mode.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { type UserList, useLists } from './queries.ts'

const columns: Column<UserList>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    grow: 'always',
  },
  { id: 'members', header: 'Members', cell: ({ member_count }) => numberText(member_count), align: 'right' },
  {
    id: 'application',
    header: 'Application',
    cell: ({ application_id, mode }) => (
      <>
        <ApplicationName id={application_id} />
        {mode === 'test' ? <Badge className="ml-1.5">Test</Badge> : null}
      </>
    ),
    wide: true,
  },
  timeColumn('Changed', ({ updated_at }) => updated_at, { wide: true }),
]

/** Lists of users; a row leads to the broadcasts to the list. */
export function ListsPage() {
  const navigate = useNavigate()
  const { mode } = useMode()
  return (
    <>
      <PageHeader title="Lists" lead="Applications send broadcasts to the users of a list, and keep its members." />
      <ListPanel
        label="Lists"
        list={useLists(mode, useCursor())}
        columns={columns}
        rowId={({ list_id }) => list_id}
        onOpen={({ list_id }) => void navigate(`/broadcasts?list_id=${list_id}`)}
        empty={
          <EmptyState title={`There are no ${ofMode(mode, 'lists')} yet`}>
            An application creates one with POST /api/v1/lists.
          </EmptyState>
        }
      />
    </>
  )
}
