import { type DispatchRequest, type EventTemplates, type LayoutTexts, oneLinePattern } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill, InTurn, NamedTemplate } from '@notify/templates'
import type { ComposeTools } from '../channel-template.ts'
import { textFault } from '../text-fault.ts'
import type { EmailPayload } from './payload.ts'
import { withPreheader } from './preheader.ts'
import { type Envelope, readEnvelope } from './recipient.ts'
import { textOfHtml } from './text-of-html.ts'
import { markContent, wrapped } from './wrap.ts'

/** The parts of a dispatch request that an email is made of. */
type EmailRequest = Pick<DispatchRequest, 'recipient'> &
  Partial<
    Pick<
      DispatchRequest,
      'event_key' | 'subject' | 'body' | 'html_body' | 'preheader' | 'layout_id' | 'data' | 'template_data' | 'from'
    >
  >
type EmailTemplate = NonNullable<EventTemplates['email']>
type Content = Pick<EmailPayload, 'subject' | 'html'> & { text: string }

/** The most octets of a line (RFC 5322 2.1.1). */
export const maxSubject = 998
/** The most characters of a text within its layout. */
const longest = 1_000_000

/**
 * Makes the email of a dispatch request. Its content is that of the template, filled; or the request's own, as it was
 * written, and through Liquid only with `template_data`.
 * @param template of the event or the stored template that the request names; none in the content form
 * @throws Problem `invalid_recipient`, `validation_failed` or `template_variable_missing`, naming the field; `rate_limited`
 */
export async function composeEmail(
  request: EmailRequest,
  template: EmailTemplate | undefined,
  fill: Fill,
  { envelope = readEnvelope(request), findLayout, inTurn }: ComposeTools & { envelope?: Envelope },
): Promise<Omit<EmailPayload, 'channel'> & { text: string }> {
  const { layout_id } = template ?? request
  const tools = { fill, inTurn, layout: layout_id && (await findLayout(layout_id)) }
  return { ...envelope, ...(await (template ? filled(request, template, tools) : written(request, tools))) }
}

interface Tools {
  fill: Fill
  inTurn: InTurn
  layout: LayoutTexts | undefined
}

/** The template's content, filled with the variables that belong to it. */
function filled(request: EmailRequest, template: EmailTemplate, tools: Tools): Promise<Content> {
  const field = request.event_key === undefined ? 'template_data' : 'data'
  return fillParts(template, request[field] ?? {}, tools, () => ({ field }))
}

/** The caller's own content. */
async function written(request: EmailRequest, tools: Tools): Promise<Content> {
  const { subject, body, html_body, preheader, template_data } = request
  if (subject === undefined) throw fieldProblem('validation_failed', 'subject', 'is missing; an email needs one')
  if (body === undefined && html_body === undefined) throw fieldProblem('validation_failed', 'body', 'is missing')
  if (template_data === undefined) {
    const { fill, layout } = tools
    const around = layout && (await fillLayout(layout, {}, fill, 'template_data'))
    return checked({ subject, text: body, html: html_body, preheader, around }, tools, (part) => part)
  }
  return fillParts({ subject, body, html_body, preheader }, template_data, tools, (part) => ({
    field: 'template_data',
    part,
  }))
}

const parts = ['subject', 'body', 'html_body', 'preheader'] as const
type Part = (typeof parts)[number]

async function fillParts(
  template: { [P in Part]?: string | undefined },
  variables: Record<string, unknown>,
  tools: Tools,
  nameOf: (part: Part) => Pick<NamedTemplate, 'field' | 'part'>,
): Promise<Content> {
  const { fill, layout } = tools
  const given = parts.filter((part) => template[part] !== undefined)
  const texts = given.map(
    (part): NamedTemplate => ({
      form: part === 'html_body' ? 'html' : 'text',
      template: template[part]!,
      ...nameOf(part),
    }),
  )
  const field = nameOf('body').field
  const [made, around] = await Promise.all([
    fill(texts, variables),
    layout && fillLayout(layout, variables, fill, field),
  ])
  const {
    subject = '',
    body,
    html_body: html,
    preheader,
  } = Object.fromEntries(given.map((part, at) => [part, made[at]!]))
  return checked({ subject, text: body, html, preheader, around }, tools, (place) => {
    const { part, field } = nameOf(place)
    return part ?? field
  })
}

/** The texts of a layout as rendered, with a mark for the content. */
async function fillLayout(
  { html_body, body }: LayoutTexts,
  variables: Record<string, unknown>,
  fill: Fill,
  field: NamedTemplate['field'],
): Promise<Around> {
  const named = { part: 'layout_id', field } as const
  const texts: NamedTemplate[] = [{ ...named, form: 'html', template: markContent(html_body) }]
  if (body !== undefined) texts.push({ ...named, form: 'text', template: markContent(body) })
  const [html = '', text] = await fill(texts, variables)
  return { html, text }
}

/** Rejects what no carrier accepts, even in stored templates: a variable can hold a line break, a filter can make a NUL. */
async function checked(
  { subject, text: given, html: inner = '', preheader = '', around }: Written,
  { inTurn }: Pick<Tools, 'inTurn'>,
  /** Which field of the request is at fault for a part of the content. */
  pathOf: (part: Part) => string,
): Promise<Content> {
  const title = subject.trim()
  const fault = (part: Part, message: string) => fieldProblem('validation_failed', pathOf(part), message)
  if (title === '') throw fault('subject', 'gives an empty subject')
  if (title.length > maxSubject) throw fault('subject', `gives a subject of more than ${maxSubject} characters`)
  if (!oneLinePattern.test(title)) throw fault('subject', 'gives a subject with line breaks or control characters')
  if (!oneLinePattern.test(preheader))
    throw fault('preheader', 'gives a preheader with line breaks or control characters')
  const hasHtml = inner.trim() !== ''
  const within = (layout: string | undefined, content: string) => {
    if (layout === undefined) return content
    const whole = wrapped(layout, content)
    if (whole === undefined) throw fieldProblem('validation_failed', 'layout_id', 'does not render its content once')
    if (whole.length > longest)
      throw fieldProblem('validation_failed', 'layout_id', `gives a text of more than ${longest} characters`)
    return whole
  }
  const written = hasHtml ? within(around?.html, inner) : inner
  const made = given === undefined ? await textOfHtml(written, inTurn) : { text: given }
  if ('fault' in made) throw fault('html_body', `${made.fault}; give body as well`)
  const { text } = made
  if (text.trim() === '') throw fault('body', 'renders to an empty text')
  const whole = given === undefined ? text : within(around?.text, text)
  const html = hasHtml && preheader.trim() !== '' ? withPreheader(written, preheader.trim()) : written
  for (const [part, content] of [
    ['subject', title],
    ['body', whole],
    ['html_body', html],
  ] as const) {
    const broken = textFault(content)
    if (broken) throw fault(part, `gives ${nameOfPart[part]} that ${broken}`)
  }
  return { subject: title, text: whole, ...(hasHtml ? { html } : {}) }
}

/** The parts as they were rendered. */
interface Written {
  subject: string
  text: string | undefined
  html: string | undefined
  preheader: string | undefined
  around?: Around | undefined
}

/** A rendered layout. */
interface Around {
  html: string
  text: string | undefined
}

const nameOfPart = { subject: 'a subject', body: 'a text', html_body: 'HTML' }
