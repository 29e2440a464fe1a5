import { channelPages } from '../../channels/table.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useAddSuppression } from './queries.ts'
import { channelNames, options, type SuppressionChannel } from './words.ts'

const empty: { channel: SuppressionChannel; recipient: string } = { channel: 'email', recipient: '' }

export function AddSuppression({ onClose }: { onClose: () => void }) {
  const draft = useDraft('suppression', empty)
  const add = useAddSuppression()
  const { channel, recipient } = draft.value
  const close = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    await add.mutateAsync({ channel, recipient: recipient.trim() })
    close()
  }
  return (
    <Dialog title="Suppress a recipient" onClose={close}>
      <Form action="Suppress the recipient" onSubmit={submit} onCancel={close}>
        <SelectField
          label="Channel"
          name="channel"
          options={options(channelNames)}
          value={channel}
          onChange={(event) => draft.set({ ...draft.value, channel: event.target.value as SuppressionChannel })}
        />
        <TextField
          {...channelPages[channel].suppression!}
          name="recipient"
          hint="Messages to it are refused until the suppression is removed. Messages by other channels are not."
          value={recipient}
          onChange={(event) => draft.set({ ...draft.value, recipient: event.target.value })}
          autoFocus
          spellCheck={false}
        />
      </Form>
    </Dialog>
  )
}
