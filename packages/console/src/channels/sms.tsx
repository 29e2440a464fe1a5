import { TextAreaField } from '../ui/field.tsx'
import { numberText } from '../ui/number-text.ts'
import { TextBlock } from '../ui/plain-text.tsx'
import type { ChannelPages, TemplateOf } from './channel.ts'

type Template = TemplateOf<'sms'>

export const sms: ChannelPages<Template, Template> = {
  name: 'SMS',
  fill: 'fill-[var(--chart-1)]',
  firstTemplate: { body: 'Hello {{ name }}' },
  emptyForm: { body: '' },
  formOf: (template) => template,
  templateOf: (form) => form,
  Fields: ({ value, onChange }) => (
    <TextAreaField
      label="Text"
      name="templates.sms.body"
      rows={8}
      value={value.body}
      onChange={({ target }) => onChange({ body: target.value })}
    />
  ),
  Rendered: ({ template: { body } }) => (
    <>
      <TextBlock label="Text of the SMS">{body}</TextBlock>
      <p lang="en" dir="ltr" className="text-xs text-faint tabular-nums">
        {numberText(body.length)} characters
      </p>
    </>
  ),
  partsOf: ({ body }) => ({ text: body }),
  hasCarrier: true,
  addressedBy: 'phone',
  test: { label: 'Your number', ofProvider: true },
  suppression: { label: 'Number', placeholder: '+15551230001' },
  firstMessage: {
    rank: 1,
    template: { body: 'Hello {{name}}, this is your first message.' },
    recipient: { phone: '+14155550100' },
  },
}
