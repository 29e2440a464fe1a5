import { useId } from 'react'
import { useFieldErrors } from './form.tsx'

export interface Check {
  value: string
  label: string
  hint?: string
  disabled?: boolean
}

interface CheckGroupProps {
  label: string
  /** Path of the list in the request, as in `errors[].path` of a problem. */
  name: string
  choices: readonly Check[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

/** A group of checkboxes. */
export function CheckGroup({ label, name, choices, chosen, onChange }: CheckGroupProps) {
  const id = useId()
  const errors = useFieldErrors(name)
  const toggle = (value: string, on: boolean) =>
    onChange(choices.map((choice) => choice.value).filter((one) => (one === value ? on : chosen.includes(one))))
  return (
    <fieldset aria-describedby={errors.length > 0 ? `${id}-errors` : undefined} className="flex flex-col gap-1.5">
      <legend className="pb-1 font-medium">{label}</legend>
      {choices.map(({ value, label: text, hint, disabled }) => (
        <label key={value} className={`flex items-baseline gap-2 ${disabled ? 'text-faint' : ''}`}>
          <input
            type="checkbox"
            name={name}
            value={value}
            disabled={disabled}
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.target.checked)}
            className="translate-y-0.5"
          />
          <span className="min-w-0">
            <code className="font-mono text-xs">{text}</code>
            {hint ? <span className="block text-xs text-faint">{hint}</span> : null}
          </span>
        </label>
      ))}
      {errors.length > 0 ? (
        <p id={`${id}-errors`} className="text-xs text-bad">
          {errors.join('; ')}
        </p>
      ) : null}
    </fieldset>
  )
}
