import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useCreateEvent } from './queries.ts'

interface NewEventProps {
  applicationId: string
  onCreated: (key: string) => void
  onClose: () => void
}

/** Creates an event as a draft without templates, and opens the editor. */
export function NewEvent({ applicationId, onCreated, onClose }: NewEventProps) {
  const create = useCreateEvent(applicationId)
  const { value, set, clear } = useDraft('event:new', { event_key: '', name: '' })
  return (
    <Dialog title="New event" onClose={onClose}>
      <Form
        action="Create the event"
        onCancel={() => {
          clear()
          onClose()
        }}
        onSubmit={async () => {
          const { event_key } = await create.mutateAsync(value)
          clear()
          onCreated(event_key)
        }}
      >
        <TextField
          label="Key"
          name="event_key"
          hint="Notifications name it, for example order.shipped. It cannot be changed later."
          value={value.event_key}
          spellCheck={false}
          autoFocus
          onChange={(event) => set({ ...value, event_key: event.target.value })}
        />
        <TextField
          label="Name"
          name="name"
          value={value.name}
          dir="auto"
          onChange={(event) => set({ ...value, name: event.target.value })}
        />
      </Form>
    </Dialog>
  )
}
