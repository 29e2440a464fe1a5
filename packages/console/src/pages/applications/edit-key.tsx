import { answer, api } from '../../api/client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { changesOf } from './form-values.ts'
import { KeyFields, type KeyValues, keyRequestOf } from './key-fields.tsx'
import { type ApiKey, useRefreshApplications } from './queries.ts'

export const draftOfKey = (keyId: string) => `key-edits:${keyId}`

/** Changes what a key is called and may do; the key itself stays. */
export function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { application_id, key_id, name, mode, permissions, rate_limit_per_second } = apiKey
  const refresh = useRefreshApplications()
  const known: KeyValues = { name, permissions, rate: rate_limit_per_second?.toString() ?? '' }
  const draft = useDraft(draftOfKey(key_id), { known, values: known })
  const { values } = draft.value
  const close = () => {
    draft.clear()
    onClose()
  }
  const save = async () => {
    await answer(
      api.PATCH('/api/v1/applications/{application_id}/keys/{key_id}', {
        params: { path: { application_id, key_id } },
        body: changesOf(keyRequestOf(draft.value.known), keyRequestOf(values)),
      }),
    )
    await refresh()
    close()
    showToast({ tone: 'good', text: 'The key is changed.' })
  }
  return (
    <Dialog title="Edit this key" onClose={close} decision>
      <Form action="Save the key" onSubmit={save} onCancel={close}>
        <KeyFields
          mode={mode}
          values={values}
          onChange={(changed) => draft.set({ ...draft.value, values: { ...values, ...changed } })}
        />
      </Form>
    </Dialog>
  )
}
