import type { Channel } from '../../channels/channel.ts'
import { channelNames, channelPages, channels } from '../../channels/table.ts'
import { ApplicationField } from '../../ui/application-choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useCreateTemplate } from './queries.ts'

interface NewTemplateProps {
  onCreated: (id: string) => void
  onClose: () => void
}

const channelOptions = channels.map((value) => ({ value, label: channelNames[value] }))

/** Creates a template with an initial text, and opens the editor. */
export function NewTemplate({ onCreated, onClose }: NewTemplateProps) {
  const create = useCreateTemplate()
  const initial = { name: '', application_id: '', channel: 'sms' as Channel }
  const { value, set, clear } = useDraft('template:new', initial)
  return (
    <Dialog title="New template" onClose={onClose}>
      <Form
        action="Create the template"
        onCancel={() => {
          clear()
          onClose()
        }}
        onSubmit={async () => {
          const { name, application_id, channel } = value
          const content = {
            name,
            application_id: application_id.trim() || null,
            templates: { [channel]: channelPages[channel].firstTemplate },
          }
          const { template_id } = await create.mutateAsync(content)
          clear()
          onCreated(template_id)
        }}
      >
        <TextField
          label="Name"
          name="name"
          value={value.name}
          hint="As operators see it. You can change it later."
          dir="auto"
          autoFocus
          onChange={(event) => set({ ...value, name: event.target.value })}
        />
        <ApplicationField
          none="All applications"
          hint="Which application may use it."
          value={value.application_id}
          onChange={(application_id) => set({ ...value, application_id })}
        />
        <SelectField
          label="First channel"
          name="channel"
          value={value.channel}
          options={channelOptions}
          hint="It begins with a sample text, which you change next. Others can be added."
          onChange={(event) => set({ ...value, channel: event.target.value as Channel })}
        />
      </Form>
    </Dialog>
  )
}
