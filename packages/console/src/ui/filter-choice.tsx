import type { Option } from './field.tsx'

interface FilterChoiceProps {
  label: string
  value: string
  options: readonly Option[]
  onChange: (value: string) => void
}

/** A filter of a list: one value, or any. */
export function FilterChoice({ label, value, options, onChange }: FilterChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`control !w-auto ${value ? '' : 'text-soft'}`}
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
