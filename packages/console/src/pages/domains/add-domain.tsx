import { useNavigate } from 'react-router'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useAddDomain } from './queries.ts'

/** Adds a domain, then shows its records. */
export function AddDomain({ onClose }: { onClose: () => void }) {
  const draft = useDraft('domain', '')
  const add = useAddDomain()
  const navigate = useNavigate()
  const cancel = () => {
    draft.clear()
    onClose()
  }
  const submit = async () => {
    const { domain_id } = await add.mutateAsync(draft.value.trim())
    draft.clear()
    await navigate(`/domains/${domain_id}`)
  }
  return (
    <Dialog title="Add a domain" onClose={cancel}>
      <Form action="Add the domain" onSubmit={submit} onCancel={cancel}>
        <TextField
          label="Domain"
          name="domain"
          placeholder="mail.example.com"
          hint="A subdomain keeps the reputation of these emails apart from that of your other mail."
          value={draft.value}
          onChange={(event) => draft.set(event.target.value)}
          autoFocus
          spellCheck={false}
        />
      </Form>
    </Dialog>
  )
}
