import { answer, api } from '../../api/client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { SelectField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useMode } from '../../ui/mode.ts'
import { KeyFields, type KeyValues, keyRequestOf } from './key-fields.tsx'
import { allowedIn } from './key-words.ts'
import { type ApiKey, useRefreshApplications } from './queries.ts'

interface NewKeyProps {
  applicationId: string
  /** The name that the form begins with. */
  name?: string
  /** Receives the key itself, which is never shown again. */
  onCreated: (apiKey: string, name: string) => void
  onClose: () => void
}

export const draftOfNewKey = (applicationId: string) => `key:new:${applicationId}`

const initial: KeyValues & Pick<ApiKey, 'mode'> = {
  name: '',
  mode: 'test',
  permissions: ['notifications:send', 'notifications:read'],
  rate: '',
}

const modes = [
  { value: 'test', label: 'Test: messages go to the sandbox only' },
  { value: 'live', label: 'Live: messages go to the carriers' },
]

export function NewKey({ applicationId: application_id, name = '', onCreated, onClose }: NewKeyProps) {
  const refresh = useRefreshApplications()
  const draft = useDraft(draftOfNewKey(application_id), { ...initial, name, mode: useMode().mode ?? initial.mode })
  const { mode, ...values } = draft.value
  const close = () => {
    draft.clear()
    onClose()
  }
  const create = async () => {
    const { api_key } = await answer(
      api.POST('/api/v1/applications/{application_id}/keys', {
        params: { path: { application_id } },
        body: { ...keyRequestOf(values), mode },
      }),
    )
    draft.clear()
    onCreated(api_key, values.name)
    void refresh()
  }
  const setMode = (next: ApiKey['mode']) =>
    draft.set({ ...draft.value, mode: next, permissions: allowedIn(next, values.permissions) })
  return (
    <Dialog title="New API key" onClose={close} decision>
      <Form action="Create the key" onSubmit={create} onCancel={close}>
        <KeyFields mode={mode} values={values} onChange={(changed) => draft.set({ ...draft.value, ...changed })}>
          <SelectField
            label="Mode"
            name="mode"
            options={modes}
            value={mode}
            onChange={(event) => setMode(event.target.value as ApiKey['mode'])}
          />
        </KeyFields>
      </Form>
    </Dialog>
  )
}
