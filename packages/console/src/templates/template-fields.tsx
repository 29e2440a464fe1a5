import type { Channel } from '../api/channels.ts'
import { TextAreaField, TextField } from '../ui/field.tsx'
import type { TemplateForms } from './template-forms.ts'
import { WhatsAppFields } from './whatsapp-fields.tsx'

interface TemplateFieldsProps {
  channel: Channel
  templates: TemplateForms
  onChange: (templates: TemplateForms) => void
}

type Changed = { target: { value: string } }

/** The fields of a channel's template. Variables stand in double braces, as Liquid has them. */
export function TemplateFields({ channel, templates, onChange }: TemplateFieldsProps) {
  const { sms, email, whatsapp, in_app, webhook } = templates
  if (channel === 'sms' && sms) {
    const body = ({ target }: Changed) => onChange({ ...templates, sms: { body: target.value } })
    return <TextAreaField label="Text" name="templates.sms.body" rows={8} value={sms.body} onChange={body} />
  }
  if (channel === 'email' && email) {
    const of = (field: keyof typeof email) => ({
      name: `templates.email.${field}`,
      value: email[field],
      onChange: ({ target }: Changed) => onChange({ ...templates, email: { ...email, [field]: target.value } }),
    })
    return (
      <>
        <TextField label="Subject" dir="auto" {...of('subject')} />
        <TextAreaField label="Text" rows={8} {...of('body')} />
        <TextAreaField
          label="HTML (optional)"
          rows={12}
          code
          hint="Values are escaped. Styles stand inline."
          {...of('html_body')}
        />
      </>
    )
  }
  if (channel === 'in_app' && in_app) {
    const of = (field: keyof typeof in_app) => ({
      name: `templates.in_app.${field}`,
      value: in_app[field],
      onChange: ({ target }: Changed) => onChange({ ...templates, in_app: { ...in_app, [field]: target.value } }),
    })
    return (
      <>
        <TextField label="Title" dir="auto" {...of('title')} />
        <TextAreaField label="Text" rows={6} {...of('body')} />
        <TextAreaField
          label="Data (optional)"
          rows={5}
          code
          hint="A JSON object for the application, for example a link."
          {...of('data')}
        />
      </>
    )
  }
  if (channel === 'webhook' && webhook) {
    const data = ({ target }: Changed) => onChange({ ...templates, webhook: { data: target.value } })
    return (
      <TextAreaField
        label="Data"
        name="templates.webhook.data"
        rows={14}
        code
        hint="A JSON object. Its texts are templates."
        value={webhook.data}
        onChange={data}
      />
    )
  }
  if (channel === 'whatsapp' && whatsapp) {
    return <WhatsAppFields value={whatsapp} onChange={(next) => onChange({ ...templates, whatsapp: next })} />
  }
  return null
}
