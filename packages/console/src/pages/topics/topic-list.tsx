import { Plus } from 'lucide-react'
import { useNavigate } from 'react-router'
import { type Topic, useTopics } from '../../api/topics.ts'
import { namesOf } from '../../channels/table.ts'
import { ApplicationSwitch } from '../../ui/application-choice.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { NewTopic } from './new-topic.tsx'
import { TopicDrawer } from './topic-drawer.tsx'
import { kinds } from './words.ts'

const columns: Column<Topic>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, topic_key }) => (
      <span className="block truncate">
        <PlainText>{name}</PlainText> <code className="ml-1 font-mono text-xs text-faint">{topic_key}</code>
      </span>
    ),
    grow: 'always',
  },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => <Badge tone={kinds[kind].tone}>{kinds[kind].name}</Badge> },
  {
    id: 'channels',
    header: 'Channels',
    cell: ({ channels }) => <span className="text-soft">{namesOf(channels)}</span>,
    wide: true,
  },
  { id: 'position', header: 'Position', cell: ({ position }) => position, align: 'right', wide: true },
  timeColumn('Changed', ({ updated_at }) => updated_at, { wide: true }),
]

/** The order in which people see them. */
const inOrder = (a: Topic, b: Topic) => a.position - b.position || (a.topic_key < b.topic_key ? -1 : 1)

interface TopicListProps {
  applicationId: string
  /** The topic whose drawer is open. */
  openKey: string | undefined
}

export function TopicList({ applicationId, openKey }: TopicListProps) {
  const navigate = useNavigate()
  const { dialog, show, close } = useUrlDialog<'new'>()
  const topics = useTopics(applicationId)
  const items = topics.data?.items.toSorted(inOrder)
  const path = `/topics/${applicationId}`
  const add = (
    <Button kind="primary" onClick={() => show('new')}>
      <Plus size={14} aria-hidden />
      New topic
    </Button>
  )
  return (
    <>
      <PageHeader title="Topics" lead="What people may switch off, such as a newsletter. An event names its topic.">
        {add}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <ApplicationSwitch value={applicationId} onChange={(id) => void navigate(`/topics/${id}`)} />
      </search>
      <ListPanel
        label="Topics"
        list={{ ...topics, data: items && { items, next_cursor: null } }}
        columns={columns}
        rowId={({ topic_key }) => topic_key}
        onOpen={({ topic_key }) => void navigate(`${path}/${encodeURIComponent(topic_key)}`)}
        openId={openKey}
        empty={
          <EmptyState title="No topics yet" action={add}>
            A message without a topic cannot be switched off. Create a topic for each kind of message that people may
            not want.
          </EmptyState>
        }
      />
      {openKey !== undefined && items ? (
        <TopicDrawer
          key={openKey}
          topic={items.find(({ topic_key }) => topic_key === openKey)}
          onClose={() => void navigate(path)}
        />
      ) : null}
      {dialog === 'new' ? <NewTopic applicationId={applicationId} onClose={close} /> : null}
    </>
  )
}
