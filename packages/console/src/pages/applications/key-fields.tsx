import { CheckGroup } from '../../ui/check-group.tsx'
import { TextField } from '../../ui/field.tsx'
import { numberOf } from '../../ui/number-text.ts'
import { type KeyPermission, permissionChoices } from './key-words.ts'
import type { ApiKey } from './queries.ts'

/** The changeable settings of a key; `rate` is the text of its field. */
export interface KeyValues {
  name: string
  permissions: KeyPermission[]
  rate: string
}

interface KeyFieldsProps {
  mode: ApiKey['mode']
  values: KeyValues
  onChange: (changed: Partial<KeyValues>) => void
  /** Shown between the name and the permissions. */
  children?: React.ReactNode
}

export const keyRequestOf = ({ name, permissions, rate }: KeyValues) => ({
  name,
  permissions,
  rate_limit_per_second: rate.trim() ? numberOf(rate) : null,
})

export function KeyFields({ mode, values: { name, permissions, rate }, onChange, children }: KeyFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        dir="auto"
        value={name}
        onChange={(event) => onChange({ name: event.target.value })}
        hint="What uses it, for example: checkout service."
      />
      {children}
      <CheckGroup
        label="Permissions"
        name="permissions"
        choices={permissionChoices(mode)}
        chosen={permissions}
        onChange={(chosen) => onChange({ permissions: chosen as KeyPermission[] })}
      />
      <TextField
        label="Requests a second, at most"
        name="rate_limit_per_second"
        inputMode="numeric"
        value={rate}
        onChange={(event) => onChange({ rate: event.target.value })}
        hint="Empty: the default of the installation."
      />
    </>
  )
}
