import { z } from 'zod'
import { errors, type MetaError } from './errors.ts'
import type { Template } from './template-book.ts'

const TextParameter = z.object({
  type: z.literal('text'),
  text: z.string().min(1),
  parameter_name: z.string().optional(),
})
const link = z.object({ link: z.url() })
const HeaderParameter = z.discriminatedUnion('type', [
  TextParameter,
  z.object({ type: z.literal('image'), image: link }),
  z.object({ type: z.literal('video'), video: link }),
  z.object({ type: z.literal('document'), document: link }),
])

const Send = z.object({
  messaging_product: z.literal('whatsapp'),
  to: z.string().regex(/^\+?\d{7,15}$/),
  type: z.literal('template'),
  template: z.object({
    name: z.string(),
    language: z.object({ code: z.string() }),
    components: z
      .array(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('header'), parameters: z.array(HeaderParameter) }),
          z.object({ type: z.literal('body'), parameters: z.array(TextParameter) }),
          z.object({
            type: z.literal('button'),
            sub_type: z.string(),
            index: z.union([z.string(), z.number()]),
            parameters: z.array(z.record(z.string(), z.string())),
          }),
        ]),
      )
      .default([]),
  }),
  biz_opaque_callback_data: z.string().max(512).optional(),
})

/** A send that the account may make. */
export interface Sending {
  /** E.164. */
  to: string
  text: string
  buttons: string[]
  /** An opaque text of the sender's that every status returns. */
  opaque: string | undefined
  body: Record<string, unknown>
}

type Component = z.output<typeof Send>['template']['components'][number]

const placesIn = (text = '') => new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, place]) => place)).size

/** The first part of a template with too few or too many parameters. */
function wrongCount({ header, body, buttons }: Template, components: readonly Component[]): string | undefined {
  const given = (type: 'header' | 'body') =>
    components.reduce((count, one) => count + (one.type === type ? one.parameters.length : 0), 0)
  const inButtons = components.filter(({ type }) => type === 'button').length
  const expectedInButtons = buttons.filter(({ type, url }) => type === 'COPY_CODE' || placesIn(url) > 0).length
  const counts = [
    ['header', given('header'), header && header.format !== 'TEXT' ? 1 : placesIn(header?.text)],
    ['body', given('body'), placesIn(body)],
    ['buttons', inButtons, expectedInButtons],
  ] as const
  const [found] = counts.filter(([, sent, expected]) => sent !== expected)
  return (
    found && `${found[0]}: number of params (${found[1]}) does not match the expected number of params (${found[2]})`
  )
}

/** Reads a send, and refuses what Meta refuses. */
export function readSend(json: string, templates: readonly Template[]): Sending | { error: MetaError } {
  const read = Send.safeParse(parse(json))
  if (!read.success) {
    const [issue] = read.error.issues
    return { error: errors.invalid(`${issue?.path.join('.')}: ${issue?.message}`) }
  }
  const { to, template, biz_opaque_callback_data: opaque } = read.data
  const known = templates.find(({ name, language }) => name === template.name && language === template.language.code)
  if (known?.status === 'PAUSED') return { error: errors.paused }
  if (known?.status !== 'APPROVED') {
    return {
      error: errors.unknownTemplate(`template name (${template.name}) does not exist in ${template.language.code}`),
    }
  }
  const wrong = wrongCount(known, template.components)
  if (wrong) return { error: errors.parameterCount(wrong) }
  const parameters = template.components.flatMap((one) => (one.type === 'body' ? one.parameters : []))
  const text = known.body.replace(/\{\{(\w+)\}\}/g, (_, place: string) => {
    const named = parameters.find(({ parameter_name }) => parameter_name === place)
    return (named ?? parameters[Number(place) - 1])?.text ?? ''
  })
  const body = read.data as Record<string, unknown>
  return {
    to: to.startsWith('+') ? to : `+${to}`,
    text,
    buttons: known.buttons.map((button) => button.text),
    opaque,
    body,
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
