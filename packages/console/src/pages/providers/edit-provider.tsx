import { useMemo, useState } from 'react'
import { channelPages } from '../../channels/table.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { showToast } from '../../ui/toasts.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { changedCredentials, fieldsOf, type Values } from './credential-schema.ts'
import { formOf, type ProviderForm, textsOf } from './provider-form.ts'
import { type Provider, type ProviderKind, useProviderActions } from './queries.ts'
import { numberOf, SettingsFields, sharingOf } from './settings-fields.tsx'

interface EditProviderProps {
  provider: Provider
  kind: ProviderKind
  onDone: () => void
}

/** Changes a provider. Secrets that stay empty keep their values. */
export function EditProvider({ provider, kind, onDone }: EditProviderProps) {
  const { change, read } = useProviderActions()
  const { provider_id: id, credentials } = provider
  const { hasCarrier } = channelPages[provider.channel]
  const fields = useMemo(() => fieldsOf(kind), [kind])
  const [typed, setTyped] = useState<Values>({})
  /** The form has the names of typed secrets, so that they are based on a version and discarded like all edits. */
  const valuesOf = ({ open, replaced }: ProviderForm): Values => ({
    ...open,
    ...Object.fromEntries(replaced.map((field) => [field, typed[field] ?? ''])),
  })
  const storedOf = (one: Provider) => ({ form: formOf(one, fields), revision: one.updated_at })
  const edits = useEdits<ProviderForm>({
    name: `provider-changes:${id}`,
    stored: storedOf(provider),
    errorsOf: () => [],
    write: async (edited, expected_updated_at) => {
      const { name, priority, removed } = edited
      const changed = changedCredentials(fields, credentials, valuesOf(edited), removed)
      const order = numberOf(priority)
      const body = {
        name,
        ...(order === undefined ? {} : { priority: order }),
        ...sharingOf(edited, { hasCarrier }),
        ...(changed ? { credentials: changed } : {}),
      }
      return storedOf(await change.mutateAsync({ id, body, expected_updated_at }))
    },
    reread: async () => storedOf(await read(id)),
  })
  const { form, set } = edits
  return (
    <EditForm
      action="Save the changes"
      edits={edits}
      // A new login forgets typed secrets, and not their names.
      textsOf={(one) => textsOf({ ...one, replaced: one.replaced.filter((field) => typed[field]) }, fields)}
      onSaved={() => {
        showToast({ tone: 'good', text: 'The provider is changed.' })
        onDone()
      }}
      onCancel={() => {
        edits.discard()
        onDone()
      }}
    >
      <SettingsFields hasCarrier={hasCarrier} value={form} onChange={(settings) => set({ ...form, ...settings })} />
      <CredentialFields
        fields={fields}
        values={valuesOf(form)}
        stored={credentials}
        removed={form.removed}
        onChange={(field, text) => {
          if (!fields.find((one) => one.name === field)?.isSecret) {
            set({ ...form, open: { ...form.open, [field]: text } })
            return
          }
          setTyped({ ...typed, [field]: text })
          const others = without(form.replaced, field)
          set({ ...form, replaced: text === '' ? others : [...others, field] })
        }}
        onRemove={(field, remove) => {
          const others = without(form.removed, field)
          set({
            ...form,
            replaced: without(form.replaced, field),
            removed: remove ? [...others, field] : others,
          })
        }}
      />
    </EditForm>
  )
}

const without = (names: readonly string[], field: string) => names.filter((one) => one !== field)
