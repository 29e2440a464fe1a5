import type { components } from '@notify/sdk'
import type { FormError } from '../edits/use-edits.ts'

/** What is sent by each channel, with variables in double braces. */
export type Templates = components['schemas']['Event']['templates']

/** Templates as they are edited: JSON is text, and absent texts are empty. */
export interface TemplateForms {
  sms?: { body: string }
  email?: { subject: string; body: string; html_body: string }
  whatsapp?: WhatsAppForm
  in_app?: { title: string; body: string; data: string }
  webhook?: { data: string }
}

export interface WhatsAppForm {
  template_name: string
  language: string
  category: 'marketing' | 'utility' | 'authentication'
  /** Whether the placeholders have names; else they stand in order. */
  isNamed: boolean
  parameters: { name: string; text: string }[]
}

/** What a channel's template begins with. */
export const newTemplates: Required<TemplateForms> = {
  sms: { body: '' },
  email: { subject: '', body: '', html_body: '' },
  whatsapp: { template_name: '', language: 'en_US', category: 'utility', isNamed: false, parameters: [] },
  in_app: { title: '', body: '', data: '' },
  webhook: { data: '{\n  \n}' },
}

export function formsOf({ sms, email, whatsapp, in_app, webhook }: Templates): TemplateForms {
  return {
    ...(sms ? { sms } : {}),
    ...(email ? { email: { ...email, html_body: email.html_body ?? '' } } : {}),
    ...(whatsapp ? { whatsapp: whatsAppFormOf(whatsapp) } : {}),
    ...(in_app ? { in_app: { ...in_app, data: in_app.data ? pretty(in_app.data) : '' } } : {}),
    ...(webhook ? { webhook: { data: pretty(webhook.data) } } : {}),
  }
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

function whatsAppFormOf({ parameters, ...rest }: NonNullable<Templates['whatsapp']>): WhatsAppForm {
  if (Array.isArray(parameters)) {
    return { ...rest, isNamed: false, parameters: parameters.map((text) => ({ name: '', text })) }
  }
  return { ...rest, isNamed: true, parameters: Object.entries(parameters).map(([name, text]) => ({ name, text })) }
}

/** The templates that forms stand for, with the errors that would keep them from being saved. */
export function templatesOf(forms: TemplateForms): { templates: Templates; errors: FormError[] } {
  const errors: FormError[] = []
  const templates: Templates = {}
  const { sms, email, whatsapp, in_app, webhook } = forms
  if (sms) templates.sms = sms
  if (email) {
    const { html_body, ...texts } = email
    templates.email = html_body === '' ? texts : { ...texts, html_body }
  }
  if (whatsapp) templates.whatsapp = whatsAppOf(whatsapp, errors)
  if (in_app) {
    const { data, ...texts } = in_app
    templates.in_app = data.trim() === '' ? texts : { ...texts, data: objectOf(data, 'templates.in_app.data', errors) }
  }
  if (webhook) templates.webhook = { data: objectOf(webhook.data, 'templates.webhook.data', errors) }
  return { templates, errors }
}

function whatsAppOf({ isNamed, parameters, ...rest }: WhatsAppForm, errors: FormError[]) {
  if (!isNamed) return { ...rest, parameters: parameters.map(({ text }) => text) }
  const names = parameters.map(({ name }) => name.trim())
  if (new Set(names).size < names.length) {
    errors.push({ path: 'templates.whatsapp.parameters', message: 'must have different names' })
  }
  return { ...rest, parameters: Object.fromEntries(parameters.map(({ text }, at) => [names[at]!, text])) }
}

type JsonObject = NonNullable<Templates['webhook']>['data']

/** A JSON object in a field; empty, with an error, for what is none. */
function objectOf(text: string, path: string, errors: FormError[]): JsonObject {
  const { value, error } = readObject(text)
  if (error !== undefined) errors.push({ path, message: error })
  return value
}

/** Reads a JSON object; nothing but white space is an empty one. */
export function readObject(text: string): { value: JsonObject; error?: string } {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as JsonObject }
    return { value: {}, error: 'must be a JSON object' }
  } catch (error) {
    return { value: {}, error: `is not JSON: ${(error as Error).message}` }
  }
}
