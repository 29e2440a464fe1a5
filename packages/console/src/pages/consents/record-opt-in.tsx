import { Problem } from '@notify/sdk'
import { useState } from 'react'
import { addressOf } from '../../api/recipients.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useRecordOptIn } from './queries.ts'
import { type Consent, type OptInSource, optInSources } from './words.ts'

interface RecordOptInProps {
  /** The number that the form starts with. */
  phone: string
  /** Of the number, where it is known. */
  consent: Consent | undefined
  onRecorded: (phone: string) => void
  onClose: () => void
}

interface Draft {
  phone: string
  source: OptInSource
  reference: string
  evidence: string
}

const sourceOptions = Object.entries(optInSources).map(([value, label]) => ({ value, label }))

/** Records an opt-in. After a STOP it requires new evidence, which the form checks before the service does. */
export function RecordOptIn({ phone, consent, onRecorded, onClose }: RecordOptInProps) {
  const draft = useDraft<Draft>(`opt-in:${phone}`, { phone, source: 'web_form', reference: '', evidence: '' })
  const record = useRecordOptIn()
  const [refused, setRefused] = useState<string>()
  const { value } = draft
  const change = (changes: Partial<Draft>) => draft.set({ ...value, ...changes })
  const number = addressOf(value.phone)
  const needsEvidence = number === refused || (consent?.status === 'revoked' && number === phone)
  const close = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    const { source, reference, evidence } = value
    try {
      await record.mutateAsync({
        phone_e164: number,
        source,
        ...(reference.trim() ? { reference: reference.trim() } : {}),
        ...(evidence.trim() ? { evidence_url: evidence.trim() } : {}),
      })
    } catch (error) {
      if (error instanceof Problem && error.code === 'whatsapp_recipient_stopped') setRefused(number)
      throw error
    }
    close()
    onRecorded(number)
  }
  return (
    <Dialog title="Record an opt-in" onClose={close}>
      <Form action="Record the opt-in" onSubmit={submit} onCancel={close}>
        {needsEvidence ? <StoppedNote /> : null}
        <TextField
          label="Number"
          name="phone_e164"
          type="tel"
          placeholder="+15551230001"
          value={value.phone}
          onChange={(event) => change({ phone: event.target.value })}
          autoFocus={!phone}
        />
        <SelectField
          label="How they agreed"
          name="source"
          options={sourceOptions}
          value={value.source}
          onChange={(event) => change({ source: event.target.value as OptInSource })}
        />
        <TextField
          label={needsEvidence ? 'Evidence' : 'Evidence (optional)'}
          name="evidence_url"
          type="url"
          placeholder="https://shop.example/opt-ins/4711"
          hint="An https address that shows the opt-in."
          value={value.evidence}
          onChange={(event) => change({ evidence: event.target.value })}
          spellCheck={false}
        />
        <TextField
          label="Reference (optional)"
          name="reference"
          hint="Your own id of it, for example of the form that was sent."
          dir="auto"
          value={value.reference}
          onChange={(event) => change({ reference: event.target.value })}
        />
      </Form>
    </Dialog>
  )
}

function StoppedNote() {
  return (
    <div role="note" className="rounded-md bg-warn-fill px-3 py-2 text-warn">
      <p className="font-medium">This number has opted out</p>
      <p>
        It may receive messages again only if the recipient has agreed since then. Give the URL of evidence that was not
        given for this number before; an import does not count.
      </p>
    </div>
  )
}
