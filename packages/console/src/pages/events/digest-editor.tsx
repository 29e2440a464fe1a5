import { SelectField, TextField } from '../../ui/field.tsx'
import { useOwnErrors } from '../../ui/form.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { DigestForm } from './digest-form.ts'

const windowOptions = [
  { value: 'none', label: 'No: each message is sent alone' },
  { value: 'seconds', label: 'Yes: a time after the first message' },
  { value: 'daily', label: 'Yes: every day' },
  { value: 'weekly', label: 'Yes: every week' },
]
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const dayOptions = days.map((label) => ({ value: label.toLowerCase(), label }))
const firstOptions = [
  { value: 'wait', label: 'Waits as the others' },
  { value: 'now', label: 'Is sent at once, and the next ones wait' },
]

interface DigestEditorProps {
  form: DigestForm
  onChange: (form: DigestForm) => void
}

/** Whether and how the messages of an event to one recipient are put together. */
export function DigestEditor({ form, onChange }: DigestEditorProps) {
  const change = (changes: Partial<DigestForm>) => onChange({ ...form, ...changes })
  const faults = [...useOwnErrors('digest'), ...useOwnErrors('digest.window')]
  return (
    <Panel className="flex max-w-xl flex-col gap-4 p-4">
      <fieldset className="flex flex-col gap-4">
        <legend className="pb-2 font-semibold">Digest</legend>
        <SelectField
          label="Put messages to one recipient together"
          name="digest.kind"
          options={windowOptions}
          value={form.window}
          hint="From the next published version on. People may choose another frequency for the topic."
          onChange={({ target }) => change({ window: target.value as DigestForm['window'] })}
        />
        {form.window === 'none' ? null : <Windows form={form} change={change} />}
        {form.window === 'none' ? null : <Items form={form} change={change} />}
        {faults.length > 0 ? <p className="text-xs text-bad">{faults.join('; ')}</p> : null}
      </fieldset>
    </Panel>
  )
}

interface PartProps {
  form: DigestForm
  change: (changes: Partial<DigestForm>) => void
}

function Windows({ form, change }: PartProps) {
  if (form.window === 'seconds') return <Seconds form={form} change={change} />
  return (
    <>
      {form.window === 'weekly' ? (
        <SelectField
          label="Day"
          name="digest.window.weekly.day"
          options={dayOptions}
          value={form.day}
          onChange={({ target }) => change({ day: target.value as DigestForm['day'] })}
        />
      ) : null}
      <TextField
        label="Time"
        name={form.window === 'weekly' ? 'digest.window.weekly.at' : 'digest.window.daily'}
        hint="On the clock of the recipient, such as 09:00."
        value={form.at}
        onChange={({ target }) => change({ at: target.value })}
      />
    </>
  )
}

function Seconds({ form, change }: PartProps) {
  return (
    <>
      <TextField
        label="Seconds"
        name="digest.window.seconds"
        inputMode="numeric"
        hint="After the first message, up to 604,800."
        value={form.seconds}
        onChange={({ target }) => change({ seconds: target.value })}
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          name="digest.sliding"
          checked={form.sliding}
          onChange={({ target }) => change({ sliding: target.checked })}
        />
        Each message begins the time again
      </label>
      {form.sliding ? (
        <TextField
          label="At most"
          name="digest.max_wait"
          inputMode="numeric"
          hint="Seconds after the first message."
          value={form.max_wait}
          onChange={({ target }) => change({ max_wait: target.value })}
        />
      ) : null}
    </>
  )
}

function Items({ form, change }: PartProps) {
  return (
    <>
      <SelectField
        label="The first message"
        name="digest.first"
        options={firstOptions}
        value={form.first}
        onChange={({ target }) => change({ first: target.value as DigestForm['first'] })}
      />
      <TextField
        label="Variable (optional)"
        name="digest.key"
        hint="Messages with different values of it are in different digests, for example post."
        spellCheck={false}
        value={form.key}
        onChange={({ target }) => change({ key: target.value })}
      />
      <TextField
        label="Messages shown"
        name="digest.show"
        inputMode="numeric"
        hint="The template gets the first ones in items, up to 100; total counts all, and more the others."
        value={form.show}
        onChange={({ target }) => change({ show: target.value })}
      />
    </>
  )
}
