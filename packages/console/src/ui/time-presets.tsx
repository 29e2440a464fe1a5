import { useState } from 'react'
import { Button } from './button.tsx'

const hourMs = 3_600_000

interface Preset {
  label: string
  hours: number
}

const ofMoments: readonly Preset[] = [
  { label: '1 h', hours: 1 },
  { label: '24 h', hours: 24 },
  { label: '7 d', hours: 168 },
  { label: '30 d', hours: 720 },
]

/** A day is whole: that of today is the first of one. */
const ofDays: readonly Preset[] = [
  { label: 'Today', hours: 0 },
  { label: '7 d', hours: 6 * 24 },
  { label: '30 d', hours: 29 * 24 },
]

interface Filter {
  value: string
  onChange: (value: string) => void
}

interface TimePresetsProps {
  from: Filter
  to: Filter
  /** Whether the filters are days in place of moments. */
  days?: boolean
}

/** Times until now, beside the pickers of the beginning and the end. */
export function TimePresets({ from, to, days = false }: TimePresetsProps) {
  const [chosen, setChosen] = useState<{ label: string; from: string }>()
  const choose = ({ label, hours }: Preset) => {
    const moment = new Date(Date.now() - hours * hourMs).toISOString()
    const begin = days ? moment.slice(0, 10) : moment
    setChosen({ label, from: begin })
    from.onChange(begin)
    if (to.value !== '') to.onChange('')
  }
  return (
    <fieldset className="flex items-center gap-1">
      <legend className="sr-only">Last</legend>
      {(days ? ofDays : ofMoments).map((preset) => {
        const isChosen = chosen?.label === preset.label && chosen.from === from.value && to.value === ''
        return (
          <Button
            key={preset.label}
            kind={isChosen ? 'plain' : 'quiet'}
            aria-pressed={isChosen}
            onClick={() => choose(preset)}
          >
            {preset.label}
          </Button>
        )
      })}
    </fieldset>
  )
}
