import { TextAreaField } from '../ui/field.tsx'
import { TextBlock } from '../ui/plain-text.tsx'
import type { ChannelPages, TemplateOf } from './channel.ts'

type Template = TemplateOf<'push'>

export const push: ChannelPages<Template, Template> = {
  name: 'Push to a phone',
  fill: 'fill-[var(--chart-6)]',
  firstTemplate: { alert: 'Hello {{ name }}' },
  emptyForm: { alert: '' },
  formOf: (template) => template,
  templateOf: (form) => form,
  Fields: ({ value, onChange }) => (
    <TextAreaField
      label="Alert"
      name="templates.push.alert"
      value={value.alert}
      onChange={({ target }) => onChange({ alert: target.value })}
    />
  ),
  Rendered: ({ template: { alert } }) => <TextBlock label="Alert">{alert}</TextBlock>,
  partsOf: ({ alert }) => ({ alert }),
  hasCarrier: true,
}
