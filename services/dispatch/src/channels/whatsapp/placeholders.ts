import type { EventTemplates, FieldError, WhatsAppPlaceholders, WhatsAppTemplateContent } from '@notify/contracts'

/** The parts of a template that a send fills. */
export interface Filled extends Pick<NonNullable<EventTemplates['whatsapp']>, 'parameters' | 'header' | 'buttons'> {
  /** Whether the service fills the first button with the code. */
  hasCode?: boolean
}

const placeholder = /\{\{\s{0,9}(\w{1,64})\s{0,9}\}\}/g

/** The placeholders of a text, each once: in order of their numbers, or as they occur. */
function namesIn(text: string): string[] {
  const names = [...new Set([...text.matchAll(placeholder)].map(([, name]) => name!))]
  return names.every((name) => /^\d+$/.test(name)) ? names.sort((a, b) => Number(a) - Number(b)) : names
}

/** What a send must fill of a template. */
export function placeholdersOf({ header, body, buttons }: WhatsAppTemplateContent): WhatsAppPlaceholders {
  return {
    header: header && headerOf(header),
    body: namesIn(body),
    buttons: buttons.flatMap(({ type, text, url }, index) => {
      if (type === 'copy_code') return [{ index, type: 'copy_code', text }]
      // Codes are copied by a button of type `otp`, or `url` with a placeholder; both are filled as an address.
      return type === 'otp' || namesIn(url ?? '').length > 0 ? [{ index, type: 'url', text }] : []
    }),
  }
}

const files = ['image', 'video', 'document']

function headerOf({ format, text }: NonNullable<WhatsAppTemplateContent['header']>): WhatsAppPlaceholders['header'] {
  if (files.includes(format)) return { type: format, name: null }
  const [name] = namesIn(text ?? '')
  if (format === 'text') return name === undefined ? null : { type: 'text', name: /^\d+$/.test(name) ? null : name }
  return { type: format, name: null }
}

/** Each placeholder that a template leaves open or that its approved text does not have, by path. */
export function misfits(filled: Filled, content: WhatsAppTemplateContent): FieldError[] {
  const wanted = placeholdersOf(content)
  const fillable = [...headerMisfits(filled, wanted), ...bodyMisfits(filled, wanted), ...buttonMisfits(filled, wanted)]
  return [...unsendable(content), ...fillable]
}

/** Buttons that need more than a text in each message. */
const notFilled = ['flow', 'mpm', 'order_details']

/** What Meta refuses in each message, because the service cannot fill it. */
function unsendable({ buttons, other_components: others = [] }: WhatsAppTemplateContent): FieldError[] {
  const parts = [
    ...others.map((type) => `component of type ${type}`),
    ...buttons.flatMap(({ type }) => (notFilled.includes(type) ? [`button of type ${type}`] : [])),
  ]
  return parts.map((part) => ({
    path: 'whatsapp.template_name',
    message: `has a ${part}, which cannot be sent: choose another template`,
  }))
}

function headerMisfits({ header }: Filled, { header: wanted }: WhatsAppPlaceholders): FieldError[] {
  const path = 'whatsapp.header'
  if (!wanted) return header ? [{ path, message: 'has no placeholder in the approved template' }] : []
  if (![...files, 'text'].includes(wanted.type))
    return [{ path, message: `of type ${wanted.type} cannot be sent: choose another template` }]
  if (!header) return [{ path, message: `is missing: the header of the approved template needs a ${wanted.type}` }]
  if (header.type !== wanted.type) return [{ path: `${path}.type`, message: `must be ${wanted.type}` }]
  if ((header.name ?? null) === wanted.name) return []
  return [{ path: `${path}.name`, message: wanted.name === null ? 'must be absent' : `must be ${wanted.name}` }]
}

function bodyMisfits({ parameters }: Filled, { body }: WhatsAppPlaceholders): FieldError[] {
  const isNumbered = body.every((name) => /^\d+$/.test(name))
  if (body.length > 0 && isNumbered !== Array.isArray(parameters)) {
    const message = isNumbered
      ? `must be an array of ${body.length}: the placeholders of the approved template are numbered`
      : `must be an object with ${body.join(', ')}: the placeholders of the approved template are named`
    return [{ path: 'whatsapp.parameters', message }]
  }
  const given = Object.keys(parameters)
  const wanted = isNumbered ? body.map((_, at) => String(at)) : body
  const label = (name: string) => `{{${isNumbered ? Number(name) + 1 : name}}}`
  return [
    ...wanted
      .filter((name) => !given.includes(name))
      .map((name) => ({ name, message: `is missing: the approved template has the placeholder ${label(name)}` })),
    ...given
      .filter((name) => !wanted.includes(name))
      .map((name) => ({ name, message: `is not a placeholder of the approved template, which has ${body.length}` })),
  ].map(({ name, message }) => ({ path: `whatsapp.parameters.${name}`, message }))
}

function buttonMisfits({ buttons = [], hasCode }: Filled, { buttons: wanted }: WhatsAppPlaceholders): FieldError[] {
  const isFilled = (index: number) => (hasCode && index === 0) || buttons.some((one) => one.index === index)
  const missing = wanted.filter(({ index }) => !isFilled(index))
  const errors = missing.map(({ text }) => ({
    path: 'whatsapp.buttons',
    message: `lacks a value for the button “${text}” of the approved template`,
  }))
  buttons.forEach(({ index, type }, at) => {
    const path = `whatsapp.buttons.${at}`
    const expected = wanted.find((one) => one.index === index)
    if (!expected)
      errors.push({ path: `${path}.index`, message: 'is not a button with a placeholder in the approved template' })
    else if (expected.type !== type) errors.push({ path: `${path}.type`, message: `must be ${expected.type}` })
    if (buttons.findIndex((one) => one.index === index) < at)
      errors.push({ path: `${path}.index`, message: 'is given twice' })
  })
  return errors
}

/** The message as the phone shows it. @param filled with rendered texts */
export function fillContent(content: WhatsAppTemplateContent, filled: Filled): WhatsAppTemplateContent {
  const { header, body, buttons } = content
  const { parameters } = filled
  const inBody = (name: string) => (Array.isArray(parameters) ? parameters[Number(name) - 1] : parameters[name])
  return {
    ...content,
    header: header && {
      ...header,
      text: header.text === null ? null : fillIn(header.text, () => filled.header?.value),
    },
    body: fillIn(body, inBody),
    buttons: buttons.map((button, at) => ({
      ...button,
      url: button.url && fillIn(button.url, () => filled.buttons?.find(({ index }) => index === at)?.value),
    })),
  }
}

/** Fills a text; a placeholder without a value stays as it is. */
const fillIn = (text: string, values: (name: string) => string | undefined) =>
  text.replace(placeholder, (whole, name: string) => values(name) ?? whole)
