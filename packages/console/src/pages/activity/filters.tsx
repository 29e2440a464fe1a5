import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { type Channel, channelNames, type Status, statuses } from './words.ts'

export interface Filters {
  channel?: Channel
  status?: Status
  mode?: 'live' | 'test'
  event_key?: string
  recipient?: string
  from?: string
  to?: string
}

const names = ['channel', 'status', 'mode', 'event_key', 'recipient', 'from', 'to'] as const

/** The filters of the address, so that a view can be linked to. The service says which values are wrong. */
export function useFilters() {
  const [search, setSearch] = useSearchParams()
  const filters = Object.fromEntries(
    names.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as Filters
  const set = (name: keyof Filters, value: string) =>
    setSearch((present) => {
      const params = new URLSearchParams(present)
      params.delete('cursor')
      if (value) params.set(name, value)
      else params.delete(name)
      return params
    })
  return { filters, set, clear: () => setSearch({}) }
}

const all = '' as const

/** The row of filters above the list. */
export function FilterBar({ filters, set }: Pick<ReturnType<typeof useFilters>, 'filters' | 'set'>) {
  const choices = (names: Record<string, string>) =>
    Object.entries(names).map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))
  const statusNames = Object.fromEntries(Object.entries(statuses).map(([value, { name }]) => [value, name]))
  return (
    <search className="flex flex-wrap gap-2 pb-3">
      <RecipientSearch value={filters.recipient ?? ''} onSearch={(value) => set('recipient', value)} />
      <Choice label="Status" value={filters.status ?? all} onChange={(value) => set('status', value)}>
        {choices(statusNames)}
      </Choice>
      <Choice label="Channel" value={filters.channel ?? all} onChange={(value) => set('channel', value)}>
        {choices(channelNames)}
      </Choice>
      <Choice label="Mode" value={filters.mode ?? all} onChange={(value) => set('mode', value)}>
        {choices({ live: 'Live', test: 'Test' })}
      </Choice>
    </search>
  )
}

interface ChoiceProps {
  label: string
  value: string
  onChange: (value: string) => void
  children: React.ReactNode
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`control !w-auto ${value ? '' : 'text-soft'}`}
    >
      <option value="">{label}: any</option>
      {children}
    </select>
  )
}

/** The whole recipient: only its keyed hash is stored, so a part finds nothing. */
function RecipientSearch({ value, onSearch }: { value: string; onSearch: (value: string) => void }) {
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
        aria-label="Whole recipient"
        aria-keyshortcuts="/"
        placeholder="Whole recipient, then Enter"
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
