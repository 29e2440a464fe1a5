import { kinds } from '@notify/carriers/kinds'
import type { EventTemplates, FieldError } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { mapJson } from '../json-texts.ts'
import { textFaults } from '../template-faults.ts'

const form = kinds.whatsapp_cloud.templateForm

type Template = NonNullable<EventTemplates['whatsapp']>

export const whatsappTemplate = {
  map: (template, visit) => ({
    ...template,
    parameters: mapJson(template.parameters, 'whatsapp.parameters', visit),
  }),
  referenceOf: ({ template_name, language, category }) => ({ name: template_name, language, category }),
  ownFields: ({ template_name, language }) => ({
    'whatsapp.template_name': template_name,
    'whatsapp.language': language,
  }),
  // Meta writes languages with an underscore.
  localize: (template, locale, given) => ({
    ...template,
    template_name: given['whatsapp.template_name'] ?? template.template_name,
    language: given['whatsapp.language'] ?? locale.replaceAll('-', '_'),
  }),
  faults,
} satisfies ChannelTemplate<Template>

function faults({ template_name, language, parameters }: Template): FieldError[] {
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
  return found
}
