import { useState } from 'react'
import { useDraft } from '../../ui/draft.ts'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { changedCredentials, fieldsOf, initialValues, type Values } from './credential-schema.ts'
import { type Provider, type ProviderKind, useProviderActions } from './queries.ts'
import { numberOf, type Settings, SettingsFields } from './settings-fields.tsx'

interface EditProviderProps {
  provider: Provider
  kind: ProviderKind
  onDone: () => void
}

/** Changes a provider. Secrets that stay empty keep their values. */
export function EditProvider({ provider, kind, onDone }: EditProviderProps) {
  const { change } = useProviderActions()
  const fields = fieldsOf(kind)
  const { name, priority, rate_limit_per_second, credentials } = provider
  const draft = useDraft<Settings & { open: Values; removed: string[] }>(`provider:${provider.provider_id}`, {
    name,
    priority: String(priority),
    rate: rate_limit_per_second === null ? '' : String(rate_limit_per_second),
    open: initialValues(fields, credentials),
    removed: [],
  })
  const [secrets, setSecrets] = useState<Values>({})
  const { value, set } = draft
  const values = { ...value.open, ...secrets }
  const submit = async () => {
    const changed = changedCredentials(fields, credentials, values, value.removed)
    const order = numberOf(value.priority)
    await change.mutateAsync({
      id: provider.provider_id,
      body: {
        name: value.name,
        ...(order === undefined ? {} : { priority: order }),
        rate_limit_per_second: numberOf(value.rate) ?? null,
        ...(changed ? { credentials: changed } : {}),
      },
    })
    draft.clear()
    showToast({ tone: 'good', text: 'The provider is changed.' })
    onDone()
  }
  return (
    <Form
      action="Save the changes"
      onSubmit={submit}
      onCancel={() => {
        draft.clear()
        onDone()
      }}
    >
      <SettingsFields value={value} onChange={(settings) => set({ ...value, ...settings })} />
      <CredentialFields
        fields={fields}
        values={values}
        stored={credentials}
        removed={value.removed}
        onChange={(field, text) => {
          if (fields.find((one) => one.name === field)?.isSecret) setSecrets({ ...secrets, [field]: text })
          else set({ ...value, open: { ...value.open, [field]: text } })
        }}
        onRemove={(field, remove) => {
          const others = value.removed.filter((one) => one !== field)
          setSecrets({ ...secrets, [field]: '' })
          set({ ...value, removed: remove ? [...others, field] : others })
        }}
      />
    </Form>
  )
}
