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
  const field = request.event_key === undefined ? 'template_data' : 'data'
  const fillAll = async (templates: readonly string[]) => {
    const texts = await fill(
      templates.map((template) => ({ form: 'text', template, field })),
      request[field] ?? {},
    )
    return texts.map((text) => checked(text.replace(/\s+/g, ' ').trim(), field))
  }
  if (Array.isArray(parameters)) return fillAll(parameters)
  const names = Object.keys(parameters)
  const texts = await fillAll(Object.values(parameters))
  return Object.fromEntries(names.map((name, at) => [name, texts[at]!]))
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
