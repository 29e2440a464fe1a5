import { useMemo, useState } from 'react'
import type { Topic } from '../../api/topics.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useTopicActions } from './queries.ts'
import { TopicFields } from './topic-fields.tsx'
import { contentOf, formOf, type TopicForm, textsOf } from './topic-form.ts'

interface TopicDrawerProps {
  /** undefined when the application has none of this key. */
  topic: Topic | undefined
  onClose: () => void
}

/** A topic, to change or delete it. */
export function TopicDrawer({ topic, onClose }: TopicDrawerProps) {
  if (topic) return <LoadedTopic topic={topic} onClose={onClose} />
  return (
    <Drawer title="Topic" onClose={onClose}>
      <EmptyState title="The application has no such topic">It may have been deleted.</EmptyState>
    </Drawer>
  )
}

const storedOf = (topic: Topic) => ({ form: formOf(topic), revision: topic.updated_at })

function LoadedTopic({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { application_id, topic_key } = topic
  const { save, reread } = useTopicActions(application_id)
  const [isDeleting, setDeleting] = useState(false)
  const edits = useEdits<TopicForm>({
    name: `topic-edits:${application_id}/${topic_key}`,
    stored: useMemo(() => storedOf(topic), [topic]),
    errorsOf: () => [],
    write: async (form, revision) =>
      storedOf(await save.mutateAsync({ key: topic_key, body: contentOf(form), revision })),
    reread: async () => storedOf(await reread(topic_key)),
  })
  return (
    <Drawer
      title={topic_key}
      onClose={onClose}
      actions={
        <Button kind="quiet" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      }
    >
      <EditForm
        action="Save the topic"
        edits={edits}
        textsOf={textsOf}
        onSaved={() => showToast({ tone: 'good', text: 'The topic is saved. Accepted messages follow it too.' })}
        {...(edits.isChanged ? { onCancel: edits.discard } : {})}
      >
        <TopicFields value={edits.form} onChange={(changes) => edits.set({ ...edits.form, ...changes })} />
      </EditForm>
      {isDeleting ? (
        <DeleteTopic topic={topic} onDeleted={edits.discard} onClose={() => setDeleting(false)} onGone={onClose} />
      ) : null}
    </Drawer>
  )
}

interface DeleteTopicProps {
  topic: Topic
  onDeleted: () => void
  onGone: () => void
  onClose: () => void
}

/** Asks before a topic is deleted. The refusal says that an event names it. */
function DeleteTopic({ topic: { application_id, topic_key, name }, onDeleted, onGone, onClose }: DeleteTopicProps) {
  const { remove } = useTopicActions(application_id)
  return (
    <Confirm
      title="Delete this topic?"
      action="Delete the topic"
      danger
      onConfirm={async () => {
        await remove.mutateAsync(topic_key)
        showToast({ tone: 'good', text: 'The topic is deleted.' })
        onDeleted()
        onGone()
      }}
      onClose={onClose}
    >
      New requests that name <PlainText className="font-medium text-text">{name}</PlainText> are refused. What people
      chose is kept, and counts again for a topic with the same key.
    </Confirm>
  )
}
