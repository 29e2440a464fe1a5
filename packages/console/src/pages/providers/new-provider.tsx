import { useState } from 'react'
import { channelNames, channelPages } from '../../channels/table.ts'
import { ApplicationField } from '../../ui/application-choice.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Drawer } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { fieldsOf, initialValues, newCredentials, titleOf, type Values } from './credential-schema.ts'
import { type CreatedProvider, type ProviderKind, useProviderActions, useProviderKinds } from './queries.ts'
import { numberOf, type Settings, SettingsFields, sharingOf } from './settings-fields.tsx'

interface NewProviderProps {
  onCreated: (created: CreatedProvider) => void
  onClose: () => void
}

/** Creates a provider: first its kind is chosen, whose schema declares the fields. */
export function NewProvider({ onCreated, onClose }: NewProviderProps) {
  const { data: kinds, error, refetch } = useProviderKinds()
  return (
    <Drawer title="New provider" onClose={onClose}>
      {kinds ? (
        <NewProviderForm kinds={kinds.items} onCreated={onCreated} onCancel={onClose} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Drawer>
  )
}

interface NewProviderDraft extends Settings {
  kind: string
  applicationId: string
  /** The form without secrets. */
  open: Values
}

interface FormProps {
  kinds: readonly ProviderKind[]
  onCreated: (created: CreatedProvider) => void
  onCancel: () => void
}

function NewProviderForm({ kinds, onCreated, onCancel }: FormProps) {
  const { create } = useProviderActions()
  const draft = useDraft<NewProviderDraft>('provider:new', {
    kind: kinds[0]?.kind ?? '',
    name: '',
    applicationId: '',
    priority: '',
    weight: '100',
    rate: '',
    open: {},
  })
  const [secrets, setSecrets] = useState<Values>({})
  const { value, set } = draft
  const kind = kinds.find((one) => one.kind === value.kind) ?? kinds[0]
  if (!kind) return null
  const { hasCarrier } = channelPages[kind.channel]
  const fields = fieldsOf(kind)
  const values = { ...initialValues(fields, value.open), ...secrets }
  const submit = async () => {
    const priority = numberOf(value.priority)
    const created = await create.mutateAsync({
      channel: kind.channel,
      kind: kind.kind,
      name: value.name,
      application_id: value.applicationId || null,
      ...(priority === undefined ? {} : { priority }),
      ...sharingOf(value, { hasCarrier, isNew: true }),
      credentials: newCredentials(fields, values),
    })
    draft.clear()
    onCreated(created)
  }
  const change = (name: string, text: string) => {
    if (fields.find((field) => field.name === name)?.isSecret) setSecrets({ ...secrets, [name]: text })
    else set({ ...value, open: { ...value.open, [name]: text } })
  }
  return (
    <Form
      action="Add the provider"
      onSubmit={submit}
      onCancel={() => {
        draft.clear()
        onCancel()
      }}
    >
      <SelectField
        label="Kind"
        name="kind"
        value={kind.kind}
        options={kinds.map((one) => ({ value: one.kind, label: `${channelNames[one.channel]}: ${titleOf(one)}` }))}
        onChange={(event) => {
          setSecrets({})
          set({ ...value, kind: event.target.value, open: {} })
        }}
      />
      <SettingsFields
        isNew
        hasCarrier={hasCarrier}
        value={value}
        onChange={(settings) => set({ ...value, ...settings })}
      />
      <ApplicationField
        none="All applications"
        value={value.applicationId}
        hint="Which application may use it; it cannot be changed later."
        onChange={(applicationId) => set({ ...value, applicationId })}
      />
      <CredentialFields fields={fields} values={values} onChange={change} />
    </Form>
  )
}
