import { useEffect, useState } from 'react'
import { localText, utcText, zoneOf } from './local-time.ts'

interface FilterProps {
  label: string
  /** Empty: no filter. */
  value: string
  onChange: (value: string) => void
}

interface FilterTextProps extends FilterProps {
  /** `/` focuses the one of type search. */
  type?: 'search' | 'text'
  placeholder?: string
  className?: string
}

/** A text filter, applied with Enter. An empty text removes it. */
export function FilterText({
  label,
  value,
  onChange,
  type = 'text',
  placeholder = `${label}, then Enter`,
  className = 'min-w-52 flex-1 max-md:basis-full md:max-w-80',
}: FilterTextProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onChange(text.trim())
      }}
    >
      <input
        type={type}
        aria-label={label}
        aria-keyshortcuts={type === 'search' ? '/' : undefined}
        placeholder={placeholder}
        value={text}
        dir="auto"
        onChange={(event) => {
          setText(event.target.value)
          if (event.target.value === '' && value) onChange('')
        }}
        className="control"
      />
    </form>
  )
}

const zonedClass = 'flex items-center gap-1.5 text-soft max-md:w-full max-md:justify-between'

/** The label of a time filter, with its time zone. */
function Zoned({ label, zone }: { label: string; zone: string }) {
  return (
    <span>
      {label} <span className="text-faint">({zone})</span>
    </span>
  )
}

/** A time in the zone of the browser; the address has it in UTC. */
export function FilterMoment({ label, value, onChange }: FilterProps) {
  const [text, setText] = useState(localText(value))
  useEffect(() => setText(localText(value)), [value])
  return (
    <label className={zonedClass}>
      <Zoned label={label} zone={zoneOf(value)} />
      <input
        type="datetime-local"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          // While a year is typed, the browser reports 0002, 0020 and 0202 first.
          if (target.value === '' || Date.parse(target.value) > 0) onChange(utcText(target.value))
        }}
        className="control !w-auto"
      />
    </label>
  )
}

/** A day filter, in UTC. */
export function FilterDay({ label, value, onChange }: FilterProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <label className={zonedClass}>
      <Zoned label={label} zone="UTC" />
      <input
        type="date"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          if (target.value === '' || Date.parse(target.value) > 0) onChange(target.value)
        }}
        className="control !w-auto"
      />
    </label>
  )
}
