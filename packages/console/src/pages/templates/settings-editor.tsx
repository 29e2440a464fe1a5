import { ApplicationField } from '../../ui/application-choice.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { TemplateForm } from './template-form.ts'

interface SettingsEditorProps {
  form: TemplateForm
  onChange: (form: TemplateForm) => void
}

/** The name of a stored template, and the application that may use it. */
export function SettingsEditor({ form, onChange }: SettingsEditorProps) {
  return (
    <Panel className="flex max-w-xl flex-col gap-4 p-4">
      <TextField
        label="Name"
        name="name"
        value={form.name}
        dir="auto"
        onChange={(event) => onChange({ ...form, name: event.target.value })}
      />
      <ApplicationField
        none="All applications"
        hint="Which application may use it."
        value={form.application_id}
        onChange={(application_id) => onChange({ ...form, application_id })}
      />
    </Panel>
  )
}
