import type { FormError } from '../edits/use-edits.ts'
import { Fact, Facts } from '../ui/drawer.tsx'
import { PlainText } from '../ui/plain-text.tsx'
import type { ChannelPages, RenderedProps, TemplateOf } from './channel.ts'
import { WhatsAppBubble } from './whatsapp-bubble.tsx'
import { WhatsAppFields } from './whatsapp-fields.tsx'
import type { WhatsAppForm } from './whatsapp-form.ts'

type Template = TemplateOf<'whatsapp'>

export const whatsapp: ChannelPages<Template, WhatsAppForm> = {
  name: 'WhatsApp',
  fill: 'fill-[var(--chart-3)]',
  firstTemplate: { template_name: 'hello_world', language: 'en_US', category: 'utility', parameters: ['{{ name }}'] },
  emptyForm: {
    ...{ template_name: '', language: 'en_US', category: 'utility', isNamed: false, parameters: [] },
    ...{ header: null, buttons: [] },
  },
  formOf,
  templateOf,
  // Meta writes pt_BR where BCP 47 has pt-BR.
  translatedForm: (form, locale) => ({ ...form, language: locale.replaceAll('-', '_') }),
  Fields: WhatsAppFields,
  Rendered,
  partsOf: ({ template_name, language, category, parameters, header, buttons }) => ({
    template: `${template_name} (${language}), ${category}`,
    ...{ header, parameters, buttons },
  }),
  // Names and languages are not Liquid texts.
  liquidOf: ({ parameters, header, buttons = [] }) => [parameters, header?.value, buttons.map(({ value }) => value)],
  hasCarrier: true,
  addressedBy: 'phone',
  categories: ['marketing', 'utility', 'authentication'],
  test: { label: 'Your number', ofProvider: false },
}

function formOf({ parameters, header, buttons = [], ...rest }: Template): WhatsAppForm {
  const others = { ...rest, header: header ? { name: '', ...header } : null, buttons }
  if (Array.isArray(parameters)) {
    return { ...others, isNamed: false, parameters: parameters.map((text) => ({ name: '', text })) }
  }
  return { ...others, isNamed: true, parameters: Object.entries(parameters).map(([name, text]) => ({ name, text })) }
}

function templateOf(form: WhatsAppForm, errors: FormError[]): Template {
  const { isNamed, parameters, header, buttons, ...rest } = form
  const template = {
    ...rest,
    ...(header && { header: { type: header.type, value: header.value, ...(header.name && { name: header.name }) } }),
    ...(buttons?.length > 0 && { buttons }),
  }
  if (!isNamed) return { ...template, parameters: parameters.map(({ text }) => text) }
  const names = parameters.map(({ name }) => name.trim())
  if (new Set(names).size < names.length) {
    errors.push({ path: 'templates.whatsapp.parameters', message: 'must have different names' })
  }
  return { ...template, parameters: Object.fromEntries(parameters.map(({ text }, at) => [names[at]!, text])) }
}

function Rendered({ template: { template_name, language, parameters }, message }: RenderedProps<Template>) {
  if (message) return <WhatsAppBubble content={message} />
  const nameOf = Array.isArray(parameters) ? (at: string) => `{{${Number(at) + 1}}}` : (name: string) => name
  return (
    <>
      <p lang="en" dir="ltr" className="text-soft">
        The carrier fills these into <code className="font-mono text-xs text-text">{template_name}</code> ({language}).
      </p>
      <Facts>
        {Object.entries(parameters).map(([name, text]) => (
          <Fact key={name} name={nameOf(name)}>
            <PlainText>{text}</PlainText>
          </Fact>
        ))}
      </Facts>
    </>
  )
}
