import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { useChanges } from './queries.ts'
import { nameKinds, type Person, type PreferenceEntry, scopeOf, sources, stateWith } from './words.ts'

const columns: Column<PreferenceEntry>[] = [
  {
    id: 'scope',
    header: 'Choice',
    cell: (change) => <span className="block truncate">{scopeOf(change)}</span>,
    grow: 'always',
  },
  {
    id: 'after',
    header: 'Became',
    cell: ({ after, frequency_after }) => (
      <Badge tone={after === null ? 'quiet' : after === 'on' ? 'good' : 'bad'}>
        {after === null ? 'Removed' : stateWith(after, frequency_after)}
      </Badge>
    ),
  },
  {
    id: 'before',
    header: 'Before',
    cell: ({ before, frequency_before }) => (
      <span className="text-soft">{before === null ? 'No choice' : stateWith(before, frequency_before)}</span>
    ),
    wide: true,
  },
  { id: 'of', header: 'Made for', cell: ({ of }) => of && nameKinds[of], wide: true },
  { id: 'source', header: 'Source', cell: ({ source }) => sources[source], wide: true },
  {
    id: 'actor',
    header: 'Made by',
    cell: ({ actor }) => (actor === null ? 'The person' : <code className="font-mono text-xs">{actor}</code>),
    wide: true,
  },
  timeColumn('Changed', ({ changed_at }) => changed_at),
]

const rowId = (change: PreferenceEntry) => `${change.changed_at} ${change.of} ${scopeOf(change)}`

/** The evidence: every change of a choice. */
export function HistoryPanel({ person }: { person: Person }) {
  const list = useChanges(person, useCursor())
  return (
    <TitledSection title="History" lead="Every change of a choice, newest first. Entries are never changed.">
      <ListPanel
        label="History"
        list={list}
        columns={columns}
        rowId={rowId}
        expected={3}
        empty={<EmptyState title="Nothing was ever chosen" />}
      />
    </TitledSection>
  )
}
