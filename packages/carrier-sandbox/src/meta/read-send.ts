import { z } from 'zod'
import { errors, type MetaError } from './errors.ts'
import type { Template } from './template-book.ts'

const TextParameter = z.object({
  type: z.literal('text'),
  text: z.string().min(1),
  parameter_name: z.string().optional(),
})

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
  const parameters = template.components.flatMap((one) => (one.type === 'body' ? one.parameters : []))
  const places = [...known.body.matchAll(/\{\{(\w+)\}\}/g)].map(([, place = '']) => place)
  if (places.length !== parameters.length) {
    const details = `body: number of params (${parameters.length}) does not match the expected number (${places.length})`
    return { error: errors.parameterCount(details) }
  }
  const text = known.body.replace(/\{\{(\w+)\}\}/g, (_, place: string) => {
    const named = parameters.find(({ parameter_name }) => parameter_name === place)
    return (named ?? parameters[Number(place) - 1])?.text ?? ''
  })
  const body = read.data as Record<string, unknown>
  return { to: to.startsWith('+') ? to : `+${to}`, text, buttons: known.buttons, opaque, body }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
