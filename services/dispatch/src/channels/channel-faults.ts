import { type EventTemplates, type FieldError, oneLinePattern } from '@notify/contracts'
import { maxSubject } from './email/compose.ts'
import { longest as longestInApp } from './in_app/compose.ts'
import { maxCharacters } from './sms/compose.ts'
import { longestParameter } from './whatsapp/compose.ts'

/** Meta's form of names and languages of templates, and of named parameters. */
const templateName = /^[a-z0-9_]{1,512}$/
const language = /^[a-z]{2,3}(?:_[A-Za-z]{2,4})?$/
const parameterName = /^[a-z0-9_]{1,64}$/

/** The rules of each channel as far as no variable can change the outcome. @returns faults by path, without `templates.` */
export function channelFaults({ sms, email, in_app, whatsapp }: EventTemplates): FieldError[] {
  return [
    ...(sms ? textFaults('sms.body', sms.body, maxCharacters) : []),
    ...(email ? emailFaults(email) : []),
    ...(in_app ? textFaults('in_app.body', in_app.body, longestInApp.body) : []),
    ...(in_app && isFixed(in_app.title) ? lengthFaults('in_app.title', in_app.title, longestInApp.title) : []),
    ...(whatsapp ? whatsappFaults(whatsapp) : []),
  ]
}

function emailFaults({ subject, body }: NonNullable<EventTemplates['email']>): FieldError[] {
  return [
    ...textFaults('email.subject', subject, maxSubject),
    ...(oneLinePattern.test(subject)
      ? []
      : [{ path: 'email.subject', message: 'must not contain control characters' }]),
    ...(body.trim() === '' ? [{ path: 'email.body', message: 'must not be empty' }] : []),
  ]
}

function whatsappFaults(template: NonNullable<EventTemplates['whatsapp']>): FieldError[] {
  const { template_name, parameters } = template
  const faults: FieldError[] = []
  const add = (path: string, message: string) => faults.push({ path: `whatsapp.${path}`, message })
  if (!templateName.test(template_name)) add('template_name', 'must be lower-case letters, digits and underscores')
  if (!language.test(template.language)) add('language', 'must be a language code such as en_US')
  for (const [name, text] of Object.entries(parameters)) {
    if (!Array.isArray(parameters) && !parameterName.test(name)) {
      add('parameters', 'must be named with lower-case letters, digits and underscores')
    }
    faults.push(...textFaults(`whatsapp.parameters.${name}`, text, longestParameter))
  }
  return faults
}

const isFixed = (template: string) => !template.includes('{{') && !template.includes('{%')

function textFaults(path: string, template: string, most: number): FieldError[] {
  if (template.trim() === '') return [{ path, message: 'must not be empty' }]
  return isFixed(template) ? lengthFaults(path, template, most) : []
}

function lengthFaults(path: string, text: string, most: number): FieldError[] {
  return text.length > most ? [{ path, message: `must have at most ${most} characters` }] : []
}
