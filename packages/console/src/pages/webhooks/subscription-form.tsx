import { CheckGroup } from '../../ui/check-group.tsx'
import { TextField } from '../../ui/field.tsx'
import { type EventType, eventTypes } from './words.ts'

export interface SubscriptionDraft {
  url: string
  events: EventType[]
  description: string
}

interface FieldsProps<Draft> {
  value: Draft
  onChange: (changes: Partial<Draft>) => void
}

const eventChoices = Object.entries(eventTypes).map(([value, hint]) => ({ value, label: value, hint }))

/** The address, the events and the description. */
export function SubscriptionFields({ value, onChange }: FieldsProps<SubscriptionDraft>) {
  return (
    <>
      <TextField
        label="Address"
        name="url"
        type="url"
        placeholder="https://shop.example/webhooks"
        hint="A public https address. It must answer 2xx within 15 s."
        value={value.url}
        onChange={(event) => onChange({ url: event.target.value })}
        autoFocus
        spellCheck={false}
      />
      <CheckGroup
        label="Events"
        name="events"
        choices={eventChoices}
        chosen={value.events}
        onChange={(events) => onChange({ events: events as EventType[] })}
      />
      <TextField
        label="Description (optional)"
        name="description"
        dir="auto"
        value={value.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  )
}
