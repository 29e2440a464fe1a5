import { useMemo } from 'react'
import { answer, api } from '../../api/client.ts'
import { EditForm } from '../../edits/edit-form.tsx'
import { useEdits } from '../../edits/use-edits.ts'
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { requestOf, type SettingsValues, textsOf, valuesOf } from './form-values.ts'
import { type Application, useShowApplication } from './queries.ts'

const storedOf = (application: Application) => ({ form: valuesOf(application), revision: application.updated_at })

const topicChoices = [
  { value: 'no', label: 'are sent' },
  { value: 'yes', label: 'are refused' },
]

/** Name, language, origins of the inbox, how codes are sent, and how recipients see the application. */
export function SettingsForm({ application }: { application: Application }) {
  const path = { application_id: application.application_id }
  const show = useShowApplication()
  const edits = useEdits<SettingsValues>({
    name: `application-edits:${application.application_id}`,
    stored: useMemo(() => storedOf(application), [application]),
    errorsOf: () => [],
    write: async (form, expected_updated_at) => {
      const params = { path, query: { expected_updated_at } }
      const body = requestOf(form)
      return storedOf(show(await answer(api.PATCH('/api/v1/applications/{application_id}', { params, body }))))
    },
    reread: async () =>
      storedOf(show(await answer(api.GET('/api/v1/applications/{application_id}', { params: { path } })))),
  })
  const field = (name: keyof SettingsValues) => ({
    value: edits.form[name],
    onChange: ({ target }: { target: { value: string } }) => edits.set({ ...edits.form, [name]: target.value }),
  })
  return (
    <EditForm
      action="Save the settings"
      edits={edits}
      textsOf={textsOf}
      onSaved={() => showToast({ tone: 'good', text: 'The settings are saved.' })}
      {...(edits.isChanged ? { onCancel: edits.discard } : {})}
    >
      <TextField label="Name" name="name" dir="auto" {...field('name')} />
      <TextField
        label="Default language"
        name="default_locale"
        hint="Of messages whose request names none, and of texts that are no translation, such as en or pt-BR."
        {...field('locale')}
      />
      <TextField
        label="Default time zone"
        name="default_time_zone"
        hint="In which times are written, such as Europe/Berlin. Empty: UTC."
        {...field('timeZone')}
      />
      <TextAreaField
        label="Origins of the inbox"
        name="allowed_origins"
        rows={3}
        hint="One origin per line, such as https://shop.example.com. Pages of these origins may show the inbox."
        {...field('origins')}
      />
      <TextAreaField
        label="Countries that one-time codes are sent to"
        name="otp.allowed_countries"
        rows={3}
        hint="One prefix per line, such as +44. Empty: all numbers."
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
      <SelectField
        label="Bulk messages without a topic"
        name="bulk_requires_topic"
        options={topicChoices}
        hint="Refused, nobody gets an offer that cannot be switched off."
        {...field('bulkRequiresTopic')}
      />
      <TextField
        label="Color of pages that recipients open"
        name="brand.color"
        placeholder="#0a5dc2"
        hint="Of buttons and links, where people choose their messages. Empty: the color of the installation."
        spellCheck={false}
        {...field('color')}
      />
      <TextField
        label="Logo of these pages"
        name="brand.logo_url"
        type="url"
        placeholder="https://shop.example/logo.svg"
        hint="Its https address. Empty: the name alone."
        spellCheck={false}
        {...field('logo')}
      />
    </EditForm>
  )
}
