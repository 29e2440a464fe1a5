import { kinds } from '@notify/carriers/kinds'
import type { DispatchRequest, EventTemplates } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill } from '@notify/templates'
import { textFault } from '../text-fault.ts'
import type { WhatsAppPayload } from './payload.ts'

type Template = NonNullable<EventTemplates['whatsapp']>
type Parameters = WhatsAppPayload['parameters']

const { longestParameter } = kinds.whatsapp_cloud.templateForm

/**
 * Fills the parameters of a template, positional or named. Meta refuses line breaks, so they become spaces.
 * @throws Problem `template_variable_missing` or `validation_failed`, naming the field
 */
export async function fillParameters(
  request: DispatchRequest,
  { parameters }: Template,
  fill: Fill,
): Promise<Parameters> {
  if (Array.isArray(parameters)) return fillTexts(request, parameters, fill)
  const names = Object.keys(parameters)
  const texts = await fillTexts(request, Object.values(parameters), fill)
  return Object.fromEntries(names.map((name, at) => [name, texts[at]!]))
}

/** Fills the header: its text, or the address of its file. @throws Problem as {@link fillParameters} does */
export async function fillHeader(request: DispatchRequest, header: NonNullable<Template['header']>, fill: Fill) {
  const [value] = await fillTexts(request, [header.value], fill)
  if (header.type === 'text' || isHttps(value!)) return { ...header, value: value! }
  throw fieldProblem('validation_failed', fieldOf(request), 'gives an address of a file that is not an https URL')
}

/** Fills the values of buttons. @throws Problem as {@link fillParameters} does */
export async function fillButtons(request: DispatchRequest, buttons: NonNullable<Template['buttons']>, fill: Fill) {
  const values = buttons.map(({ value }) => value)
  const texts = await fillTexts(request, values, fill)
  return buttons.map((button, at) => ({ ...button, value: texts[at]! }))
}

const isHttps = (text: string) => URL.parse(text)?.protocol === 'https:'
const fieldOf = ({ event_key }: DispatchRequest) => (event_key === undefined ? 'template_data' : 'data')

async function fillTexts(request: DispatchRequest, templates: readonly string[], fill: Fill): Promise<string[]> {
  const field = fieldOf(request)
  const texts = await fill(
    templates.map((template) => ({ form: 'text', template, field })),
    request[field] ?? {},
  )
  return texts.map((text) => checked(text.replace(/\s+/g, ' ').trim(), field))
}

function checked(text: string, path: string): string {
  const fault =
    text === ''
      ? 'is empty'
      : text.length > longestParameter
        ? `has more than ${longestParameter} characters`
        : textFault(text)
  if (!fault) return text
  const message = `gives a parameter of the WhatsApp template that ${fault}`
  throw fieldProblem('validation_failed', path, message)
}
