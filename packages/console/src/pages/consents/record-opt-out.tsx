import { addressOf } from '../../api/recipients.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useRecordOptOut } from './queries.ts'

interface RecordOptOutProps {
  /** The number that the form starts with. */
  phone: string
  onRecorded: (phone: string) => void
  onClose: () => void
}

/** Records an opt-out that was requested outside WhatsApp. */
export function RecordOptOut({ phone, onRecorded, onClose }: RecordOptOutProps) {
  const draft = useDraft(`opt-out:${phone}`, { phone, reference: '' })
  const record = useRecordOptOut()
  const { value } = draft
  const close = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    const number = addressOf(value.phone)
    const reference = value.reference.trim()
    await record.mutateAsync({ phone_e164: number, ...(reference ? { reference } : {}) })
    close()
    onRecorded(number)
  }
  return (
    <Dialog title="Record an opt-out" onClose={close}>
      <p className="pb-4 text-soft">
        Nothing is sent to the number by WhatsApp from then on. It takes a new opt-in of the recipient, with evidence,
        to undo this.
      </p>
      <Form action="Record the opt-out" onSubmit={submit} onCancel={close}>
        <TextField
          label="Number"
          name="phone_e164"
          type="tel"
          placeholder="+15551230001"
          value={value.phone}
          onChange={(event) => draft.set({ ...value, phone: event.target.value })}
          autoFocus={!phone}
        />
        <TextField
          label="Reference (optional)"
          name="reference"
          hint="Your own id of the request, for example of a ticket."
          dir="auto"
          value={value.reference}
          onChange={(event) => draft.set({ ...value, reference: event.target.value })}
        />
      </Form>
    </Dialog>
  )
}
