import type { EventTemplates } from '@notify/contracts'
import type { TemplateForm } from '@notify/templates'

/** Converts a template to text; `path` is its location, for example `email.subject`. */
type Visit = (template: string, form: TemplateForm, path: string) => string
type Json = NonNullable<EventTemplates['webhook']>['data'][string]

/** The templates with each Liquid text replaced; names, languages and keys stay. */
export function mapTemplates({ sms, email, in_app, webhook, whatsapp }: EventTemplates, visit: Visit): EventTemplates {
  const text = (template: string, path: string) => visit(template, 'text', path)
  const record = (data: Record<string, Json>, path: string) => mapJson(data, path, text) as Record<string, Json>
  return {
    ...(sms && { sms: { body: text(sms.body, 'sms.body') } }),
    ...(email && {
      email: {
        subject: text(email.subject, 'email.subject'),
        body: text(email.body, 'email.body'),
        ...(email.html_body === undefined ? {} : { html_body: visit(email.html_body, 'html', 'email.html_body') }),
      },
    }),
    ...(in_app && {
      in_app: {
        title: text(in_app.title, 'in_app.title'),
        body: text(in_app.body, 'in_app.body'),
        ...(in_app.data === undefined ? {} : { data: record(in_app.data, 'in_app.data') }),
      },
    }),
    ...(webhook && { webhook: { data: record(webhook.data, 'webhook.data') } }),
    ...(whatsapp && {
      whatsapp: {
        ...whatsapp,
        parameters: mapJson(whatsapp.parameters, 'whatsapp.parameters', text) as typeof whatsapp.parameters,
      },
    }),
  }
}

/** Each Liquid text of a set of templates. */
export function textsOf(templates: EventTemplates): { template: string; form: TemplateForm; path: string }[] {
  const texts: ReturnType<typeof textsOf> = []
  mapTemplates(templates, (template, form, path) => {
    texts.push({ template, form, path })
    return template
  })
  return texts
}

function mapJson(value: Json, path: string, text: (template: string, path: string) => string): Json {
  if (typeof value === 'string') return text(value, path)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, at) => mapJson(item, `${path}.${at}`, text))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapJson(item, `${path}.${key}`, text)]))
}
