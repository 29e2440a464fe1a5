import { useApplications } from '../api/applications.ts'
import { useHasPermission } from '../api/me.ts'
import { type Option, SelectField, TextField } from './field.tsx'
import { FilterChoice } from './filter-choice.tsx'
import { FilterText } from './filter-controls.tsx'

const longestOption = 40
/** A choice is as wide as its longest option. */
const shortened = (name: string) => (name.length > longestOption ? `${name.slice(0, longestOption)}…` : name)

/** The applications by name, and the chosen one by its id if it is not among them. */
function useOptions(chosen: string): Option[] {
  const { data } = useApplications()
  const known = data?.items.map(({ application_id, name }) => ({ value: application_id, label: shortened(name) })) ?? []
  const isKnown = chosen === '' || known.some(({ value }) => value === chosen)
  return isKnown ? known : [...known, { value: chosen, label: chosen }]
}

interface ChoiceProps {
  value: string
  onChange: (id: string) => void
}

/** A filter by application: by name, or by id for operators who may not list the applications. */
export function ApplicationFilter({ value, onChange }: ChoiceProps) {
  const isAllowed = useHasPermission()('applications:manage')
  const options = useOptions(value)
  if (isAllowed) {
    // A fixed width, so that nothing moves when the names arrive.
    return <FilterChoice label="Application" className="md:!w-48" value={value} options={options} onChange={onChange} />
  }
  return <FilterText label="Application id" className="max-md:w-full md:w-48" value={value} onChange={onChange} />
}

/** The application whose list is shown; there is always one. */
export function ApplicationSwitch({ value, onChange }: ChoiceProps) {
  const options = useOptions(value)
  return (
    // A fixed width, so that nothing moves when the names arrive.
    <select
      aria-label="Application"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="control max-w-full md:!w-48"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

interface FieldProps extends ChoiceProps {
  /** The meaning of no choice. */
  none: string
  hint?: string
}

/** An application in a form: by name, or by id for operators who may not list the applications. */
export function ApplicationField({ value, onChange, none, hint }: FieldProps) {
  const isAllowed = useHasPermission()('applications:manage')
  const options = useOptions(value)
  const shared = { label: 'Application', name: 'application_id', value }
  if (isAllowed) {
    return (
      <SelectField
        {...shared}
        hint={hint}
        options={[{ value: '', label: none }, ...options]}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  }
  return (
    <TextField
      {...shared}
      placeholder={none}
      hint="Its id. Names are shown with the permission applications:manage."
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
