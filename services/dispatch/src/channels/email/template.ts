import { type EventTemplates, type FieldError, oneLinePattern } from '@notify/contracts'
import type { InTurn } from '@notify/templates'
import type { ChannelTemplate } from '../channel-template.ts'
import { isFixed, textFaults } from '../template-faults.ts'
import { composeEmail, maxSubject } from './compose.ts'
import { conversionFault, textOfHtml } from './text-of-html.ts'

export const emailTemplate: ChannelTemplate<NonNullable<EventTemplates['email']>> = {
  map: ({ subject, body, html_body, preheader, layout_id }, visit) => ({
    ...(layout_id === undefined ? {} : { layout_id }),
    subject: visit(subject, 'text', 'email.subject'),
    ...(body === undefined ? {} : { body: visit(body, 'text', 'email.body') }),
    ...(preheader === undefined ? {} : { preheader: visit(preheader, 'text', 'email.preheader') }),
    ...(html_body === undefined ? {} : { html_body: visit(html_body, 'html', 'email.html_body') }),
  }),
  localize(template, _locale, _given, known) {
    if (!known) return template
    const { layout_id: _, ...texts } = template
    return known.layout_id === undefined ? texts : { ...texts, layout_id: known.layout_id }
  },
  layoutOf: ({ layout_id }) => layout_id,
  codeTexts: ({ body, html_body }) => ({ 'email.body': body, 'email.html_body': html_body }),
  faults: async ({ subject, body, html_body, preheader, layout_id }, inTurn) => [
    ...textFaults('email.subject', subject, maxSubject),
    ...(oneLinePattern.test(subject)
      ? []
      : [{ path: 'email.subject', message: 'must not contain control characters' }]),
    ...(body === undefined && html_body === undefined
      ? [{ path: 'email.body', message: 'is missing: give body, html_body or both' }]
      : []),
    ...(body?.trim() === '' ? [{ path: 'email.body', message: 'must not be empty' }] : []),
    ...(preheader !== undefined && html_body === undefined
      ? [{ path: 'email.preheader', message: 'requires html_body' }]
      : []),
    // In a layout it becomes a part of a text that is made of both.
    ...(body === undefined && html_body !== undefined && layout_id === undefined
      ? await htmlFaults(html_body, inTurn)
      : []),
  ],
  async preview(template, field, variables, fill, tools) {
    const form = field === 'data' ? { event_key: 'preview' } : {}
    const request = { recipient: 'somebody@example.com', ...form, [field]: variables as Record<string, never> }
    const { subject, text, html } = await composeEmail(request, template, fill, tools)
    return { subject, body: text, ...(html === undefined ? {} : { html_body: html }) }
  },
}

/** Why no text is made of HTML, with whatever variables. */
async function htmlFaults(html: string, inTurn: InTurn): Promise<FieldError[]> {
  const made = isFixed(html) ? await textOfHtml(html, inTurn) : { fault: conversionFault(alwaysIn(html)) }
  const fault = 'fault' in made && made.fault
  return fault ? [{ path: 'email.html_body', message: `${fault}; give body as well` }] : []
}

/** What a template prints for all variables: nothing is known of one with tags, or with signs that remove spaces. */
function alwaysIn(template: string): string {
  if (/\{%|\{\{-|-\}\}/.test(template)) return ''
  return template
    .split('{{')
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf('}}') + 2)))
    .join('')
}
