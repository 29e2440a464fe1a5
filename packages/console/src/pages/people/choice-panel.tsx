import { channelNames } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { usePreferences } from './queries.ts'
import {
  frequencyNames,
  nameKinds,
  type Person,
  type Preferences,
  type Rule,
  scopeOf,
  sources,
  stateName,
  stateWith,
} from './words.ts'

type TopicState = Preferences['topics'][number]

const topicColumns: Column<TopicState>[] = [
  {
    id: 'topic',
    header: 'Topic',
    cell: ({ name, topic_key }) => (
      <span className="block truncate">
        <PlainText>{name}</PlainText> <code className="ml-1 font-mono text-xs text-faint">{topic_key}</code>
      </span>
    ),
    grow: 'wide',
  },
  {
    id: 'gets',
    header: 'The person gets it by',
    cell: ({ channels }) => (
      <span className="flex flex-wrap gap-1.5 py-1">
        {channels.map(({ channel, state, overridden, digests, frequency }) => (
          <Badge key={channel} tone={state === 'on' ? 'good' : 'bad'}>
            {channelNames[channel]}: {stateName[state]}
            {overridden ? ', by a wider choice' : ''}
            {digests && state === 'on' && frequency ? `, ${frequencyNames[frequency]}` : ''}
          </Badge>
        ))}
      </span>
    ),
    grow: 'narrow',
  },
]

const ruleColumns: Column<Rule>[] = [
  {
    id: 'scope',
    header: 'Choice',
    cell: (rule) => <span className="block truncate">{scopeOf(rule)}</span>,
    grow: 'always',
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ state, frequency }) => <Badge tone={state === 'on' ? 'good' : 'bad'}>{stateWith(state, frequency)}</Badge>,
  },
  { id: 'of', header: 'Made for', cell: ({ of }) => of && nameKinds[of], wide: true },
  { id: 'source', header: 'Source', cell: ({ source }) => sources[source], wide: true },
  timeColumn('Chosen', ({ changed_at }) => changed_at),
]

/** What the person gets of each topic, and the choices from which it follows. */
export function ChoicePanel({ person }: { person: Person }) {
  const { data, error, refetch } = usePreferences(person)
  const failed = error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : undefined
  return (
    <>
      <TitledSection title="Preferences">
        <Panel>
          {failed ?? (
            <DataTable
              label="Topics"
              columns={topicColumns}
              rows={data?.topics}
              rowId={({ topic_key }) => topic_key}
              expected={2}
              empty={<EmptyState title="The application has no topics">Nothing of it can be switched off.</EmptyState>}
            />
          )}
        </Panel>
      </TitledSection>
      {failed ? null : (
        <TitledSection title="Choices" lead="Those that count now. A topic without a choice follows its kind.">
          <Panel>
            <DataTable
              label="Choices"
              columns={ruleColumns}
              rows={data?.rules}
              rowId={(rule) => `${rule.of} ${scopeOf(rule)}`}
              expected={2}
              empty={<EmptyState title="The person has chosen nothing" />}
            />
          </Panel>
        </TitledSection>
      )}
    </>
  )
}
