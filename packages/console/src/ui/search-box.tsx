import { useEffect, useState } from 'react'

interface SearchBoxProps {
  /** Read out and shown while it is empty, for example `Whole recipient`. */
  label: string
  value: string
  onSearch: (value: string) => void
  placeholder?: string
}

/** A search by a whole value, on `Enter`. `/` leads here; emptying it searches no more. */
export function SearchBox({ label, value, onSearch, placeholder = `${label}, then Enter` }: SearchBoxProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <form
      className="min-w-52 flex-1 md:max-w-80"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text.trim())
      }}
    >
      <input
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        dir="auto"
        onChange={(event) => {
          setText(event.target.value)
          if (event.target.value === '' && value) onSearch('')
        }}
        className="control"
      />
    </form>
  )
}
