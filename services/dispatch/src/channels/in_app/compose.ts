import type { DispatchRequest, EventTemplates, InAppPayload } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill } from '@notify/templates'
import { fillTemplate } from '../channel-template.ts'
import { faultInside, textFault } from '../text-fault.ts'
import { displayFields, requireDisplayData } from './display-data.ts'
import { inAppTemplate, longest } from './template.ts'

type Content = Pick<InAppPayload, 'title' | 'body' | 'data'>
type Template = NonNullable<EventTemplates['in_app']>

/**
 * Makes the content of an in-app notification: the template's, filled; or the request's own, as it was written, and through
 * Liquid only with `template_data`.
 * @param template of the event or the stored template that the request names
 * @throws Problem `validation_failed` or `template_variable_missing`, naming the field
 */
export async function composeInApp(
  request: DispatchRequest,
  template: EventTemplates['in_app'],
  fill: Fill,
): Promise<Content> {
  const content = await (template ? filled(request, template, fill) : written(request, fill))
  const pathOf = (field: 'title' | 'body') =>
    template ? variablesOf(request) : field === 'title' ? titleFieldOf(request) : field
  for (const field of ['title', 'body'] as const) {
    const text = content[field]
    const fault = text.length > longest[field] ? `has more than ${longest[field]} characters` : textFault(text)
    if (fault) throw fieldProblem('validation_failed', pathOf(field), `gives a ${field} that ${fault}`)
  }
  if (content.body.trim() === '') throw fieldProblem('validation_failed', pathOf('body'), 'gives an empty body')
  requireDisplayData(content.data)
  const fault = faultInside(content.data, 'data')
  if (fault) throw fieldProblem('validation_failed', variablesOf(request), `gives a ${fault}`)
  return content
}

async function filled(request: DispatchRequest, template: Template, fill: Fill): Promise<Content> {
  const field = variablesOf(request)
  const { title, body, data = {} } = await fillTemplate(inAppTemplate, template, field, request[field] ?? {}, fill)
  return { title, body, data: { ...data, ...shownOf(request) } }
}

/** The display data that a request gives beside a template. */
function shownOf({ event_key, data = {} }: DispatchRequest): Record<string, unknown> {
  if (event_key === undefined) return data
  return Object.fromEntries(displayFields.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])))
}

async function written(request: DispatchRequest, fill: Fill): Promise<Content> {
  const { body = '', data = {}, template_data } = request
  const titleField = titleFieldOf(request)
  const title = request[titleField] ?? ''
  if (template_data === undefined) return { title, body, data }
  const named = (template: string, part: 'subject' | 'title' | 'body') =>
    ({ form: 'text', template, field: 'template_data', part }) as const
  const [filledTitle = '', filledBody = ''] = await fill([named(title, titleField), named(body, 'body')], template_data)
  return { title: filledTitle, body: filledBody, data }
}

/** The field of a request that gives the title. */
const titleFieldOf = ({ title, subject }: DispatchRequest) =>
  title === undefined && subject !== undefined ? 'subject' : 'title'

/** The field that holds the variables of a template: events have `data`, stored templates `template_data`. */
const variablesOf = ({ event_key }: DispatchRequest) => (event_key === undefined ? 'template_data' : 'data')
