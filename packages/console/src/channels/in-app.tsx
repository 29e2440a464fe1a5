import { TextAreaField, TextField } from '../ui/field.tsx'
import { PlainText, TextBlock } from '../ui/plain-text.tsx'
import type { ChannelPages, FieldsProps, TemplateOf } from './channel.ts'
import { objectOf, pretty } from './json-text.ts'

type Template = TemplateOf<'in_app'>
interface Form {
  title: string
  body: string
  /** JSON. */
  data: string
}

export const inApp: ChannelPages<Template, Form> = {
  name: 'In-app',
  fill: 'fill-[var(--chart-4)]',
  firstTemplate: { title: 'A title', body: 'Hello {{ name }}' },
  emptyForm: { title: '', body: '', data: '' },
  formOf: (template) => ({ ...template, data: template.data ? pretty(template.data) : '' }),
  templateOf: ({ data, ...texts }, errors) =>
    data.trim() === '' ? texts : { ...texts, data: objectOf(data, 'templates.in_app.data', errors) },
  Fields: InAppFields,
  Rendered: ({ template: { title, body, data } }) => (
    <>
      <div className="rounded-md border border-line bg-raised p-3 [overflow-wrap:anywhere]">
        <PlainText className="block font-medium">{title}</PlainText>
        <PlainText className="block whitespace-pre-wrap text-soft">{body}</PlainText>
      </div>
      {data ? <TextBlock label="Data of the notification">{pretty(data)}</TextBlock> : null}
    </>
  ),
  partsOf: ({ title, body, data }) => ({ title, text: body, data }),
  hasCarrier: false,
  noAttempts: 'The inbox delivers when it stores; it has no attempts.',
  firstMessage: {
    rank: 3,
    template: { title: 'Hello {{name}}', body: 'This is your first message.' },
    recipient: 'ada',
  },
}

function InAppFields({ value, onChange }: FieldsProps<Form>) {
  const of = (field: keyof Form) => ({
    name: `templates.in_app.${field}`,
    value: value[field],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...value, [field]: target.value }),
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
