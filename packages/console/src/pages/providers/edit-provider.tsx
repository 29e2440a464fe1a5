import { useMemo, useState } from 'react'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { showToast } from '../../ui/toasts.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { changedCredentials, fieldsOf, type Values } from './credential-schema.ts'
import { formOf, type ProviderForm, textsOf } from './provider-form.ts'
import { type Provider, type ProviderKind, useProviderActions } from './queries.ts'
import { numberOf, SettingsFields } from './settings-fields.tsx'

interface EditProviderProps {
  provider: Provider
  kind: ProviderKind
  onDone: () => void
}

/** Changes a provider. Secrets that stay empty keep their values. */
export function EditProvider({ provider, kind, onDone }: EditProviderProps) {
  const { change, read } = useProviderActions()
  const { provider_id: id, credentials } = provider
  const fields = useMemo(() => fieldsOf(kind), [kind])
  const [secrets, setSecrets] = useState<Values>({})
  const storedOf = (one: Provider) => ({ form: formOf(one, fields), revision: one.updated_at })
  const edits = useEdits<ProviderForm>({
    name: `provider-edits:${id}`,
    stored: storedOf(provider),
    errorsOf: () => [],
    write: async ({ name, priority, weight, rate, open, removed }, expected_updated_at) => {
      const changed = changedCredentials(fields, credentials, { ...open, ...secrets }, removed)
      const [order, share] = [numberOf(priority), numberOf(weight)]
      const body = {
        name,
        ...(order === undefined ? {} : { priority: order }),
        ...(share === undefined ? {} : { weight: share }),
        rate_limit_per_second: numberOf(rate) ?? null,
        ...(changed ? { credentials: changed } : {}),
      }
      return storedOf(await change.mutateAsync({ id, body, expected_updated_at }))
    },
    reread: async () => storedOf(await read(id)),
  })
  const { form, set } = edits
  const values = { ...form.open, ...secrets }
  return (
    <EditForm
      action="Save the changes"
      edits={edits}
      textsOf={(one) => textsOf(one, fields)}
      onSaved={() => {
        showToast({ tone: 'good', text: 'The provider is changed.' })
        onDone()
      }}
      onCancel={() => {
        edits.discard()
        onDone()
      }}
    >
      <SettingsFields value={form} onChange={(settings) => set({ ...form, ...settings })} />
      <CredentialFields
        fields={fields}
        values={values}
        stored={credentials}
        removed={form.removed}
        onChange={(field, text) => {
          if (fields.find((one) => one.name === field)?.isSecret) setSecrets({ ...secrets, [field]: text })
          else set({ ...form, open: { ...form.open, [field]: text } })
        }}
        onRemove={(field, remove) => {
          const others = form.removed.filter((one) => one !== field)
          setSecrets({ ...secrets, [field]: '' })
          set({ ...form, removed: remove ? [...others, field] : others })
        }}
      />
    </EditForm>
  )
}
