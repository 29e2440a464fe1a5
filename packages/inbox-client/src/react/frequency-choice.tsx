import { useId } from 'react'
import type { PreferenceFrequency } from '../preferences.ts'
import type { PreferenceLabels } from './preference-labels.ts'

interface FrequencyChoiceProps {
  /** Name of the channel. */
  channel: string
  words: PreferenceLabels
  /** Null: as the event says. */
  frequency: PreferenceFrequency | null
  /** Whether null has an effect. */
  isRemovable: boolean
  onChange: (frequency: PreferenceFrequency | null) => void
}

/** How often the messages of a topic are wanted. */
export function FrequencyChoice({ channel, words, frequency, isRemovable, onChange }: FrequencyChoiceProps) {
  const id = useId()
  const options = Object.entries(words.frequencies) as [PreferenceFrequency, string][]
  return (
    <div className="ni-frequency">
      <label htmlFor={id}>
        {words.frequency}
        <span className="ni-hidden"> ({channel})</span>
      </label>
      <select
        id={id}
        value={frequency ?? ''}
        onChange={({ target }) => onChange(options.find(([one]) => one === target.value)?.[0] ?? null)}
      >
        {isRemovable && <option value="">{words.usual}</option>}
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
