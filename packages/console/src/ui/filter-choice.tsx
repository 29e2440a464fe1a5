import type { Option } from './field.tsx'

interface FilterChoiceProps {
  label: string
  value: string
  options: readonly Option[]
  onChange: (value: string) => void
  /** Its width; as wide as its longest option when absent. */
  className?: string
}

/** A filter of a list: one value, or any. */
export function FilterChoice({ label, value, options, onChange, className = '!w-auto' }: FilterChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`control max-w-full ${className} ${value ? '' : 'text-soft'}`}
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
