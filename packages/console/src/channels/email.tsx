import { useLayoutChoice } from '../api/layouts.ts'
import { EmailFrame } from '../templates/email-frame.tsx'
import { SelectField, TextAreaField, TextField } from '../ui/field.tsx'
import { PlainText, TextBlock } from '../ui/plain-text.tsx'
import type { ChannelPages, FieldsProps, TemplateOf } from './channel.ts'

type Template = TemplateOf<'email'>
type Form = Required<Template>

export const email: ChannelPages<Template, Form> = {
  name: 'Email',
  fill: 'fill-[var(--chart-2)]',
  firstTemplate: { subject: 'A title', body: 'Hello {{ name }}' },
  emptyForm: { subject: '', body: '', html_body: '', preheader: '', layout_id: '' },
  formOf: ({ subject, body = '', html_body = '', preheader = '', layout_id = '' }) => ({
    ...{ subject, body, html_body, preheader, layout_id },
  }),
  templateOf: ({ subject, body, html_body, preheader, layout_id }) => ({
    subject,
    ...(body === '' && html_body !== '' ? {} : { body }),
    ...(html_body === '' ? {} : { html_body }),
    ...(preheader === '' ? {} : { preheader }),
    ...(layout_id ? { layout_id } : {}),
  }),
  Fields: EmailFields,
  Rendered: ({ template: { subject, body, html_body }, locale }) => (
    <>
      <p className="[overflow-wrap:anywhere]">
        <span lang="en" className="text-faint">
          Subject
        </span>{' '}
        <PlainText className="font-medium">{subject}</PlainText>
      </p>
      {html_body === undefined ? null : <EmailFrame html={html_body} locale={locale} />}
      <TextBlock label="Text of the email">{body ?? ''}</TextBlock>
    </>
  ),
  partsOf: ({ subject, body, html_body, preheader, layout_id: layout }) => ({
    ...{ subject, preheader, text: body, HTML: html_body, layout },
  }),
  hasCarrier: true,
  addressedBy: 'email',
  test: { label: 'Your address', ofProvider: true },
  suppression: { label: 'Email address', placeholder: 'ada@example.com' },
  firstMessage: {
    rank: 2,
    template: { subject: 'Hello {{name}}', body: 'Hello {{name}}, this is your first message.' },
    recipient: { email: 'ada@example.com' },
  },
}

function EmailFields({ value, onChange }: FieldsProps<Form>) {
  const of = (field: keyof Form) => ({
    name: `templates.email.${field}`,
    value: value[field],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...value, [field]: target.value }),
  })
  return (
    <>
      <TextField label="Subject" dir="auto" {...of('subject')} />
      <TextAreaField label="Text" rows={8} hint="Made from the HTML where it is empty." {...of('body')} />
      <TextAreaField
        label="HTML (optional)"
        rows={12}
        code
        hint="Values are escaped. Use inline styles."
        {...of('html_body')}
      />
      <TextField
        label="Preheader (optional)"
        dir="auto"
        hint="Lists of messages show it after the subject; needs HTML."
        {...of('preheader')}
      />
      <LayoutField value={value.layout_id ?? ''} onChange={(layout_id) => onChange({ ...value, layout_id })} />
    </>
  )
}

/** The layout of an email, by name. */
function LayoutField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data } = useLayoutChoice()
  const known = data?.items.map(({ layout_id, name }) => ({ value: layout_id, label: name })) ?? []
  const isKnown = value === '' || known.some((one) => one.value === value)
  return (
    <SelectField
      label="Layout"
      name="templates.email.layout_id"
      hint="What stands around the text and the HTML."
      value={value}
      options={[{ value: '', label: 'None' }, ...known, ...(isKnown ? [] : [{ value, label: value }])]}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
