import { kinds } from '@notify/carriers/kinds'
import type { EventTemplates, FieldError } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { mapJson } from '../json-texts.ts'
import { textFaults } from '../template-faults.ts'
import { fillContent, misfits } from './placeholders.ts'

const form = kinds.whatsapp_cloud.templateForm

type Template = NonNullable<EventTemplates['whatsapp']>

/** Whether the service fills the button of a template for one-time codes, because the template names no value for it. */
export const fillsCode = ({ category, buttons }: Pick<Template, 'category' | 'buttons'>): boolean =>
  category === 'authentication' && buttons === undefined

export const whatsappTemplate = {
  map: (template, visit) => ({
    ...template,
    parameters: mapJson(template.parameters, 'whatsapp.parameters', visit),
    ...(template.header && {
      header: { ...template.header, value: visit(template.header.value, 'text', 'whatsapp.header.value') },
    }),
    ...(template.buttons && {
      buttons: template.buttons.map((button, at) => ({
        ...button,
        value: visit(button.value, 'text', `whatsapp.buttons.${at}.value`),
      })),
    }),
  }),
  referenceOf: (template, sendsCodes) => ({
    ...{ name: template.template_name, language: template.language, category: template.category },
    misfits: (content) => misfits({ ...template, hasCode: sendsCodes && fillsCode(template) }, content),
  }),
  shownAs: (rendered, content) => fillContent(content, rendered),
  codeTexts: (template) => ({ 'whatsapp.parameters': codeValuesOf(template).join('\n') }),
  ownFields: ({ template_name, language }) => ({
    'whatsapp.template_name': template_name,
    'whatsapp.language': language,
  }),
  // Meta writes languages with an underscore.
  localize: (template, locale, given, known) => ({
    ...template,
    template_name: given['whatsapp.template_name'] ?? (known ?? template).template_name,
    language: given['whatsapp.language'] ?? known?.language ?? locale.replaceAll('-', '_'),
  }),
  faults,
} satisfies ChannelTemplate<Template>

/** Values that may print a code: in category authentication only those of the body, which a button copies. */
function codeValuesOf({ category, parameters, header, buttons = [] }: Template): string[] {
  const inBody = Object.values(parameters)
  if (category === 'authentication') return inBody
  return [...inBody, ...(header ? [header.value] : []), ...buttons.map(({ value }) => value)]
}

function faults({ template_name, language, parameters, header, buttons = [] }: Template): FieldError[] {
  const found: FieldError[] = []
  const add = (path: string, message: string) => found.push({ path: `whatsapp.${path}`, message })
  if (!form.name.test(template_name)) add('template_name', 'must be lower-case letters, digits and underscores')
  if (!form.language.test(language)) add('language', 'must be a language code such as en_US')
  for (const [name, text] of Object.entries(parameters)) {
    if (!Array.isArray(parameters) && !form.parameterName.test(name)) {
      add('parameters', 'must be named with lower-case letters, digits and underscores')
    }
    found.push(...textFaults(`whatsapp.parameters.${name}`, text, form.longestParameter))
  }
  if (header?.name !== undefined && !(header.type === 'text' && form.parameterName.test(header.name)))
    add('header.name', 'must be absent of a file, or lower-case letters, digits and underscores')
  const others: [string, string][] = buttons.map(({ value }, at) => [`buttons.${at}.value`, value])
  if (header) others.unshift(['header.value', header.value])
  for (const [path, text] of others) found.push(...textFaults(`whatsapp.${path}`, text, form.longestParameter))
  return found
}
