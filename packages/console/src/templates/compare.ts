import { type Channel, channelNames, namesOf } from '../api/channels.ts'
import { compareTexts, type Difference, type Named } from '../edits/compare-texts.ts'
import { pretty, type Templates } from './template-forms.ts'

/** What has templates: an event, or a stored template. */
export interface Templated {
  name: string
  /** Of a stored template: the name of the application that may use it. */
  application?: string
  allowed_channels?: readonly Channel[]
  templates: Templates
}

/** The texts that differ between two contents; `before` is undefined when there is none. */
export function compare(before: Templated | undefined, after: Templated): Difference[] {
  return compareTexts(before ? textsOf(before) : [], textsOf(after))
}

/** Every text of a content with what it is called, in the order of the editor. */
export function textsOf({ name, application, allowed_channels, templates }: Templated): Named[] {
  const { email, sms, whatsapp, in_app, webhook } = templates
  return [
    ['Name', name],
    ...(application === undefined ? [] : [['Application', application] as Named]),
    ...(allowed_channels ? [['Channels', namesOf(allowed_channels)] as Named] : []),
    ...(email ? named('email', { subject: email.subject, text: email.body, HTML: email.html_body }) : []),
    ...(sms ? named('sms', { text: sms.body }) : []),
    ...(whatsapp ? named('whatsapp', whatsAppTexts(whatsapp)) : []),
    ...(in_app ? named('in_app', { title: in_app.title, text: in_app.body, data: in_app.data }) : []),
    ...(webhook ? named('webhook', { data: webhook.data }) : []),
  ]
}

function whatsAppTexts({ template_name, language, category, parameters }: NonNullable<Templates['whatsapp']>) {
  return { template: `${template_name} (${language}), ${category}`, parameters }
}

function named(channel: Channel, parts: Record<string, unknown>): Named[] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => [`${channelNames[channel]} ${part}`, typeof value === 'string' ? value : pretty(value)])
}
