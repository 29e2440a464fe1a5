import { useId } from 'react'

interface PreferenceToggleProps {
  label: string
  isOn: boolean
  /** Why it cannot be changed now. */
  note?: string | undefined
  onChange: (isOn: boolean) => void
}

/** A switch with its name. One that a wider choice decides stays in the order of focus, so that its note is read out. */
export function PreferenceToggle({ label, isOn, note, onChange }: PreferenceToggleProps) {
  const id = useId()
  return (
    <button
      className="ni-toggle"
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-disabled={note !== undefined || undefined}
      aria-labelledby={id}
      aria-describedby={note === undefined ? undefined : `${id}-note`}
      onClick={() => note === undefined && onChange(!isOn)}
    >
      <span className="ni-track" aria-hidden="true" />
      <span className="ni-text">
        <span id={id}>{label}</span>
        {note !== undefined && (
          <span className="ni-time" id={`${id}-note`}>
            {note}
          </span>
        )}
      </span>
    </button>
  )
}
