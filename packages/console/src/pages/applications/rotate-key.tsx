import { answer, api } from '../../api/client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { SelectField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { type ApiKey, useRefreshApplications } from './queries.ts'

interface RotateKeyProps {
  apiKey: ApiKey
  onRotated: (apiKey: string) => void
  onClose: () => void
}

const hour = 3600
const overlaps = [
  { value: '0', label: 'The old key ends at once' },
  { value: String(hour), label: 'The old key works for another hour' },
  { value: String(24 * hour), label: 'The old key works for another day' },
  { value: String(7 * 24 * hour), label: 'The old key works for another 7 days' },
  { value: String(30 * 24 * hour), label: 'The old key works for another 30 days' },
]

/** Creates a successor of a key; the key itself stays valid during the overlap. */
export function RotateKey({ apiKey: { application_id, key_id }, onRotated, onClose }: RotateKeyProps) {
  const refresh = useRefreshApplications()
  const draft = useDraft(`key-rotation:${key_id}`, String(24 * hour))
  const close = () => {
    draft.clear()
    onClose()
  }
  const rotate = async () => {
    const { api_key } = await answer(
      api.POST('/api/v1/applications/{application_id}/keys/{key_id}/rotate', {
        params: { path: { application_id, key_id } },
        body: { overlap_seconds: Number(draft.value) },
      }),
    )
    draft.clear()
    onRotated(api_key)
    void refresh()
  }
  return (
    <Dialog title="Rotate this key" onClose={close} decision>
      <p className="mb-4 text-soft">
        A new key with the same name, mode and permissions is made. This cannot be undone.
      </p>
      <Form action="Rotate the key" onSubmit={rotate} onCancel={close}>
        <SelectField
          label="Overlap"
          name="overlap_seconds"
          options={overlaps}
          value={draft.value}
          onChange={(event) => draft.set(event.target.value)}
        />
      </Form>
    </Dialog>
  )
}
