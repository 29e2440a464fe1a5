import { SecretField, SelectField, TextField } from '../../ui/field.tsx'
import type { CredentialField, Values } from './credential-schema.ts'

interface CredentialFieldsProps {
  fields: readonly CredentialField[]
  values: Values
  onChange: (name: string, value: string) => void
  /** The credentials of an existing provider, with masked secrets. */
  stored?: Values
  removed?: readonly string[]
  onRemove?: (name: string, remove: boolean) => void
}

/** The fields of a kind's credentials, from its schema. Secrets are never shown. */
export function CredentialFields({ fields, values, onChange, stored, removed = [], onRemove }: CredentialFieldsProps) {
  return fields.map((field) => {
    const { name, label, isRequired, isSecret, choices, example } = field
    const shared = {
      label: isRequired ? label : `${label} (optional)`,
      name: `credentials.${name}`,
      value: values[name] ?? '',
      onChange: (event: { target: { value: string } }) => onChange(name, event.target.value),
    }
    const present = stored?.[name]
    if (isSecret && present !== undefined) {
      return (
        <div key={name} className="flex flex-col gap-1">
          <SecretField
            {...shared}
            disabled={removed.includes(name)}
            placeholder="Unchanged"
            hint={`Stored: ${present}. Leave it empty to keep it.`}
          />
          {isRequired ? null : (
            <label className="flex items-center gap-2 text-soft">
              <input
                type="checkbox"
                checked={removed.includes(name)}
                onChange={(event) => onRemove?.(name, event.target.checked)}
              />
              Remove the stored {label.toLowerCase()}
            </label>
          )}
        </div>
      )
    }
    if (isSecret) return <SecretField key={name} {...shared} hint={field.hint} />
    if (choices) {
      const options = choices.map((value) => ({ value, label: value }))
      return <SelectField key={name} {...shared} hint={field.hint} options={options} />
    }
    return <TextField key={name} {...shared} hint={field.hint} placeholder={example} spellCheck={false} dir="auto" />
  })
}
