import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useTopicActions } from './queries.ts'
import { TopicFields } from './topic-fields.tsx'
import { contentOf, emptyForm } from './topic-form.ts'

export function NewTopic({ applicationId, onClose }: { applicationId: string; onClose: () => void }) {
  const { create } = useTopicActions(applicationId)
  const { value, set, clear } = useDraft(`topic:${applicationId}`, { topic_key: '', ...emptyForm })
  const close = () => {
    clear()
    onClose()
  }
  const submit = async () => {
    const { topic_key, ...form } = value
    await create.mutateAsync({ topic_key, ...contentOf(form) })
    showToast({ tone: 'good', text: 'The topic is created.' })
    close()
  }
  return (
    <Dialog title="New topic" onClose={close}>
      <Form action="Create the topic" onSubmit={submit} onCancel={close}>
        <TextField
          label="Key"
          name="topic_key"
          hint="Events and notifications name it, for example newsletter. It cannot be changed later."
          value={value.topic_key}
          spellCheck={false}
          autoFocus
          onChange={({ target }) => set({ ...value, topic_key: target.value })}
        />
        <TopicFields value={value} onChange={(changes) => set({ ...value, ...changes })} />
      </Form>
    </Dialog>
  )
}
