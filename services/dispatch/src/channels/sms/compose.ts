import { longestTextOf } from '@notify/carriers/kinds'
import type { DispatchRequest, EventTemplates } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Fill } from '@notify/templates'
import { textFault } from '../text-fault.ts'

export const maxCharacters = longestTextOf('sms')

/**
 * Makes the text of a dispatch request: the template's, filled; or the request's own, as it was written, and through Liquid
 * only with `template_data`.
 * @param template of the event or the stored template that the request names; none in the content form
 * @throws Problem `validation_failed` or `template_variable_missing`, naming the field
 */
export async function composeSms(
  request: DispatchRequest,
  template: EventTemplates['sms'],
  fill: Fill,
): Promise<string> {
  const text = await (template ? filled(request, template.body, fill) : written(request, fill))
  const fault =
    text.trim() === ''
      ? 'is empty'
      : text.length > maxCharacters
        ? `has more than ${maxCharacters} characters`
        : textFault(text)
  if (!fault) return text
  const path = template ? variablesOf(request) : 'body'
  throw new Problem('validation_failed', `The text to send ${fault}`, {
    errors: [{ path, message: `the text to send ${fault}` }],
  })
}

async function filled(request: DispatchRequest, template: string, fill: Fill): Promise<string> {
  const field = variablesOf(request)
  const [text = ''] = await fill([{ form: 'text', template, field }], request[field] ?? {})
  return text
}

async function written({ body = '', template_data }: DispatchRequest, fill: Fill): Promise<string> {
  if (template_data === undefined) return body
  const template = { form: 'text', template: body, field: 'template_data', part: 'body' } as const
  const [text = ''] = await fill([template], template_data)
  return text
}

/** The field that holds the variables of a template: events have `data`, stored templates `template_data`. */
const variablesOf = ({ event_key }: DispatchRequest) => (event_key === undefined ? 'template_data' : 'data')
