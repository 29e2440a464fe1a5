import { useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useDraft } from '../../ui/draft.ts'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { requestOf, type SettingsValues, valuesOf } from './form-values.ts'
import type { Application } from './queries.ts'

/** Name, origins of the inbox, and how codes are sent. */
export function SettingsForm({ application }: { application: Application }) {
  const { application_id } = application
  const client = useQueryClient()
  const draft = useDraft(`application:${application_id}`, valuesOf(application))
  const field = (name: keyof SettingsValues) => ({
    value: draft.value[name],
    onChange: ({ target }: { target: { value: string } }) => draft.set({ ...draft.value, [name]: target.value }),
  })
  const save = async () => {
    const path = { application_id }
    const changed = await answer(
      api.PATCH('/api/v1/applications/{application_id}', { params: { path }, body: requestOf(draft.value) }),
    )
    draft.clear()
    client.setQueryData(['applications', 'one', application_id], changed)
    void client.invalidateQueries({ queryKey: ['applications'] })
    showToast({ tone: 'good', text: 'The settings are saved.' })
  }
  return (
    <Form action="Save the settings" onSubmit={save}>
      <TextField label="Name" name="name" dir="auto" {...field('name')} />
      <TextAreaField
        label="Origins of the inbox"
        name="allowed_origins"
        rows={3}
        hint="One origin a line, such as https://shop.example.com. Pages of these origins may show the inbox."
        {...field('origins')}
      />
      <TextAreaField
        label="Numbers that codes may go to"
        name="otp.allowed_countries"
        rows={3}
        hint="One beginning a line, such as +44. Empty: all numbers."
        {...field('countries')}
      />
      <TextField
        label="Host that asks for the code"
        name="otp.autofill_host"
        hint="Browsers fill the code in on this site, such as shop.example."
        {...field('autofillHost')}
      />
      <TextField
        label="Codes a minute, at most"
        name="otp.sends_per_minute"
        inputMode="numeric"
        hint="Empty: the limit of the installation."
        {...field('sendsPerMinute')}
      />
    </Form>
  )
}
