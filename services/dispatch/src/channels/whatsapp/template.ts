import type { EventTemplates, FieldError } from '@notify/contracts'
import type { ChannelTemplate } from '../channel-template.ts'
import { mapJson } from '../json-texts.ts'
import { textFaults } from '../template-faults.ts'
import { longestParameter } from './compose.ts'

/** Meta's form of names and languages of templates, and of named parameters. */
const templateName = /^[a-z0-9_]{1,512}$/
const language = /^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/
const parameterName = /^[a-z0-9_]{1,64}$/

type Template = NonNullable<EventTemplates['whatsapp']>

export const whatsappTemplate = {
  map: (template, visit) => ({
    ...template,
    parameters: mapJson(template.parameters, 'whatsapp.parameters', visit),
  }),
  referenceOf: ({ template_name, language, category }) => ({ name: template_name, language, category }),
  faults,
} satisfies ChannelTemplate<Template>

function faults({ template_name, language: written, parameters }: Template): FieldError[] {
  const found: FieldError[] = []
  const add = (path: string, message: string) => found.push({ path: `whatsapp.${path}`, message })
  if (!templateName.test(template_name)) add('template_name', 'must be lower-case letters, digits and underscores')
  if (!language.test(written)) add('language', 'must be a language code such as en_US')
  for (const [name, text] of Object.entries(parameters)) {
    if (!Array.isArray(parameters) && !parameterName.test(name)) {
      add('parameters', 'must be named with lower-case letters, digits and underscores')
    }
    found.push(...textFaults(`whatsapp.parameters.${name}`, text, longestParameter))
  }
  return found
}
