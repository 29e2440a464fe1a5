import { type DispatchRequest, type EventTemplates, oneLinePattern } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill, NamedTemplate } from '@notify/templates'
import { textFault } from '../text-fault.ts'
import type { EmailPayload } from './payload.ts'
import { type Envelope, readEnvelope } from './recipient.ts'

/** The parts of a dispatch request that an email is made of. */
type EmailRequest = Pick<DispatchRequest, 'recipient'> &
  Partial<Pick<DispatchRequest, 'event_key' | 'subject' | 'body' | 'html_body' | 'data' | 'template_data' | 'from'>>
type EmailTemplate = NonNullable<EventTemplates['email']>
type Content = Pick<EmailPayload, 'subject' | 'html'> & { text: string }

/** The most octets of a line (RFC 5322 2.1.1). */
export const maxSubject = 998

/**
 * Makes the email of a dispatch request. Its content is that of the template, filled; or the request's own, as it was
 * written, and through Liquid only with `template_data`.
 * @param template of the event or the stored template that the request names; none in the content form
 * @throws Problem `invalid_recipient`, `validation_failed` or `template_variable_missing`, naming the field
 */
export async function composeEmail(
  request: EmailRequest,
  template: EmailTemplate | undefined,
  fill: Fill,
  envelope: Envelope = readEnvelope(request),
): Promise<Omit<EmailPayload, 'channel'> & { text: string }> {
  return { ...envelope, ...(await (template ? filled(request, template, fill) : written(request, fill))) }
}

/** The template's content, filled with the variables that belong to it. */
function filled(request: EmailRequest, template: EmailTemplate, fill: Fill): Promise<Content> {
  const field = request.event_key === undefined ? 'template_data' : 'data'
  return fillParts(template, request[field] ?? {}, fill, () => ({ field }))
}

/** The caller's own content. */
async function written({ subject, body, html_body, template_data }: EmailRequest, fill: Fill): Promise<Content> {
  if (subject === undefined) throw fieldProblem('validation_failed', 'subject', 'is missing; an email needs one')
  if (body === undefined) throw fieldProblem('validation_failed', 'body', 'is missing')
  if (template_data === undefined) return checked({ subject, text: body, html: html_body }, (part) => part)
  return fillParts({ subject, body, html_body }, template_data, fill, (part) => ({ field: 'template_data', part }))
}

type Part = 'subject' | 'body' | 'html_body'

async function fillParts(
  { subject, body, html_body }: { subject: string; body: string; html_body?: string | undefined },
  variables: Record<string, unknown>,
  fill: Fill,
  nameOf: (part: Part) => Pick<NamedTemplate, 'field' | 'part'>,
): Promise<Content> {
  const texts: NamedTemplate[] = [
    { form: 'text', template: subject, ...nameOf('subject') },
    { form: 'text', template: body, ...nameOf('body') },
  ]
  if (html_body !== undefined) texts.push({ form: 'html', template: html_body, ...nameOf('html_body') })
  const [title = '', text = '', html] = await fill(texts, variables)
  return checked({ subject: title, text, html }, (place) => {
    const { part, field } = nameOf(place)
    return part ?? field
  })
}

/** Rejects what no carrier accepts, even in stored templates: a variable can hold a line break, a filter can make a NUL. */
function checked(
  { subject, text, html }: Omit<Content, 'html'> & { html?: string | undefined },
  /** Which field of the request is at fault for a part of the content. */
  pathOf: (part: Part) => string,
): Content {
  const title = subject.trim()
  if (title === '') throw fieldProblem('validation_failed', pathOf('subject'), 'gives an empty subject')
  if (title.length > maxSubject)
    throw fieldProblem('validation_failed', pathOf('subject'), `gives a subject of more than ${maxSubject} characters`)
  if (!oneLinePattern.test(title)) {
    throw fieldProblem('validation_failed', pathOf('subject'), 'gives a subject with line breaks or control characters')
  }
  if (text.trim() === '') throw fieldProblem('validation_failed', pathOf('body'), 'renders to an empty text')
  for (const [part, content] of [
    ['subject', title],
    ['body', text],
    ['html_body', html ?? ''],
  ] as const) {
    const fault = textFault(content)
    if (fault) throw fieldProblem('validation_failed', pathOf(part), `gives ${nameOfPart[part]} that ${fault}`)
  }
  return { subject: title, text, ...(html === undefined || html.trim() === '' ? {} : { html }) }
}

const nameOfPart: Record<Part, string> = { subject: 'a subject', body: 'a text', html_body: 'HTML' }
