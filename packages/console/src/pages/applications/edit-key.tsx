import { useMemo } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Named } from '../../edits/compare-texts.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { KeyFields, type KeyValues, keyRequestOf } from './key-fields.tsx'
import { type ApiKey, useShowKey } from './queries.ts'

const storedOf = ({ name, permissions, rate_limit_per_second, updated_at }: ApiKey) => ({
  form: { name, permissions, rate: rate_limit_per_second?.toString() ?? '' },
  revision: updated_at,
})

const textsOf = ({ name, permissions, rate }: KeyValues): Named[] => [
  ['Name', name],
  ['Permissions', permissions.join('\n')],
  ['Requests a second, at most', rate],
]

/** Changes the name and the permissions of a key; the key itself stays. */
export function EditKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { application_id, key_id, mode } = apiKey
  const path = { application_id, key_id }
  const show = useShowKey()
  const edits = useEdits<KeyValues>({
    name: `key-edits:${key_id}`,
    stored: useMemo(() => storedOf(apiKey), [apiKey]),
    errorsOf: () => [],
    write: async (form, expected_updated_at) => {
      const request = { params: { path, query: { expected_updated_at } }, body: keyRequestOf(form) }
      return storedOf(show(await answer(api.PATCH('/api/v1/applications/{application_id}/keys/{key_id}', request))))
    },
    reread: async () =>
      storedOf(
        show(await answer(api.GET('/api/v1/applications/{application_id}/keys/{key_id}', { params: { path } }))),
      ),
  })
  const giveUp = () => {
    edits.discard()
    onClose()
  }
  return (
    <Dialog title="Edit this key" onClose={giveUp} decision>
      <EditForm
        action="Save the key"
        edits={edits}
        textsOf={textsOf}
        onSaved={() => {
          onClose()
          showToast({ tone: 'good', text: 'The key is changed.' })
        }}
        onCancel={giveUp}
      >
        <KeyFields mode={mode} values={edits.form} onChange={(changed) => edits.set({ ...edits.form, ...changed })} />
      </EditForm>
    </Dialog>
  )
}
