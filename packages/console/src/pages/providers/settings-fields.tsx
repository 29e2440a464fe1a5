import { TextField } from '../../ui/field.tsx'
import type { NewProvider } from './queries.ts'

/** The settings of a provider beside its credentials, as text. */
export interface Settings {
  name: string
  priority: string
  weight: string
  rate: string
}

interface SettingsFieldsProps {
  value: Settings
  onChange: (value: Settings) => void
  /** Without one, a weight and a rate would have no effect. */
  hasCarrier: boolean
  isNew?: boolean
}

/** Name, priority, weight and rate of a provider. */
export function SettingsFields({ value, onChange, hasCarrier, isNew = false }: SettingsFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={value.name}
        dir="auto"
        onChange={(event) => onChange({ ...value, name: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        <TextField
          label={isNew ? 'Priority (optional)' : 'Priority'}
          name="priority"
          inputMode="numeric"
          hint={`The lowest number is tried first.${isNew ? ' Empty: the last.' : ''}`}
          value={value.priority}
          onChange={(event) => onChange({ ...value, priority: event.target.value })}
        />
        {hasCarrier ? (
          <>
            <TextField
              label="Weight"
              name="weight"
              inputMode="numeric"
              hint="Share among equal priorities, 0 to 100."
              value={value.weight}
              onChange={(event) => onChange({ ...value, weight: event.target.value })}
            />
            <TextField
              label="Rate limit (optional)"
              name="rate_limit_per_second"
              inputMode="numeric"
              hint={`Messages in a second. Empty: ${isNew ? 'the default of the kind' : 'no limit'}.`}
              value={value.rate}
              onChange={(event) => onChange({ ...value, rate: event.target.value })}
            />
          </>
        ) : null}
      </div>
    </>
  )
}

type Sharing = Pick<NewProvider, 'weight' | 'rate_limit_per_second'>
type Sharer = Pick<SettingsFieldsProps, 'hasCarrier' | 'isNew'>

/** Weight and rate as they are sent: without a carrier none, also if they were typed for another kind. */
export function sharingOf({ weight, rate }: Settings, { hasCarrier, isNew = false }: Sharer): Sharing {
  if (!hasCarrier) return {}
  const [share, limit] = [numberOf(weight), numberOf(rate)]
  return {
    ...(share === undefined ? {} : { weight: share }),
    // A new provider gets the default of its kind.
    ...(limit === undefined && isNew ? {} : { rate_limit_per_second: limit ?? null }),
  }
}

/** The number in a field. Other text is sent unchanged, so that the service reports the error. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : (trimmed as unknown as number)
}
