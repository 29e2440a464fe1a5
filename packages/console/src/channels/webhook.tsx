import { TextAreaField } from '../ui/field.tsx'
import { TextBlock } from '../ui/plain-text.tsx'
import type { ChannelPages, TemplateOf } from './channel.ts'
import { objectOf, pretty } from './json-text.ts'

type Template = TemplateOf<'webhook'>

export const webhook: ChannelPages<Template, { data: string }> = {
  name: 'Webhook',
  fill: 'fill-[var(--chart-5)]',
  firstTemplate: { data: { name: '{{ name }}' } },
  emptyForm: { data: '{\n  \n}' },
  formOf: ({ data }) => ({ data: pretty(data) }),
  templateOf: ({ data }, errors) => ({ data: objectOf(data, 'templates.webhook.data', errors) }),
  Fields: ({ value, onChange }) => (
    <TextAreaField
      label="Data"
      name="templates.webhook.data"
      rows={14}
      code
      hint="A JSON object. Its texts are templates."
      value={value.data}
      onChange={({ target }) => onChange({ data: target.value })}
    />
  ),
  Rendered: ({ template: { data } }) => <TextBlock label="Data of the webhook">{pretty(data)}</TextBlock>,
  partsOf: ({ data }) => ({ data }),
  hasCarrier: false,
}
