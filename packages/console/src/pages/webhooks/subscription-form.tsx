import { useApplications } from '../../api/applications.ts'
import { useMay } from '../../api/me.ts'
import { CheckGroup } from '../../ui/check-group.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/states.tsx'
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

/** Where to, which events, and what for. */
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

/** The application whose events are sent: by name, or by id for operators who may not see the applications. */
export function ApplicationField({ value, onChange }: FieldsProps<{ application: string }>) {
  const isAllowed = useMay()('applications:manage')
  const { data: applications, error, refetch } = useApplications()
  const shared = { label: 'Application', name: 'application_id', value: value.application }
  if (!isAllowed) {
    return (
      <TextField
        {...shared}
        placeholder="app_…"
        hint="Its id. Names are shown with the permission applications:manage."
        onChange={(event) => onChange({ application: event.target.value })}
        spellCheck={false}
      />
    )
  }
  if (!applications && error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!applications) return <Skeleton lines={2} />
  const names = applications.items.map(({ application_id, name }) => ({ value: application_id, label: name }))
  return (
    <SelectField
      {...shared}
      options={[{ value: '', label: 'Choose one' }, ...names]}
      onChange={(event) => onChange({ application: event.target.value })}
    />
  )
}
