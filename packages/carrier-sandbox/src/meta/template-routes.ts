import { Router } from 'express'
import { z } from 'zod'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { readBody, sendProblem } from '../problem.ts'
import type { MetaNumber } from './number.ts'
import type { Template, TemplateBook } from './template-book.ts'
import { webhook } from './webhook.ts'

interface Context {
  numbers: readonly MetaNumber[]
  templates: TemplateBook
  sender: CallbackSender
}

const word = z.string().regex(/^[A-Z_]{1,40}$/, 'must be a word in upper case')

const TemplateChange = z.strictObject({
  business_account_id: z.string().optional(),
  name: z.string().min(1),
  language: z.string().default('en_US'),
  status: word.optional(),
  category: word.optional(),
  header: z.strictObject({ format: word, text: z.string().optional() }).optional(),
  body: z.string().optional(),
  buttons: z.array(z.strictObject({ type: word, text: z.string(), url: z.string().optional() })).optional(),
  /** Whether a webhook reports it. */
  tell: z.boolean().default(true),
})

/** `PUT /templates`: Meta reviews a template, known or new, in one account or in all. */
export function templateRoutes({ numbers, templates, sender }: Context): Router {
  return Router().put('/templates', (req, res) => {
    const change = readBody(req, res, TemplateChange)
    if (!change) return
    const { business_account_id: wanted, tell } = change
    const chosen = numbers.filter((one) => wanted === undefined || one.business_account_id === wanted)
    if (chosen.length === 0) return sendProblem(res, 404, 'not_found', 'There is no such account.')
    for (const number of chosen) {
      const template = applyChange(templates.of(number.business_account_id)!, change)
      if (tell) for (const callback of webhooksOf(number, template, change)) void sender.send(callback)
    }
    res.json({ accounts: chosen.length })
  })
}

function applyChange(known: Template[], change: z.output<typeof TemplateChange>): Template {
  const { name, language, status = 'APPROVED', category = 'UTILITY', body = 'Hi {{1}}.' } = change
  const found = known.find((one) => one.name === name && one.language === language)
  if (!found) {
    const { header, buttons = [] } = change
    const added = { name, language, status, category, header, body, buttons }
    known.push(added)
    return added
  }
  if (change.status) found.status = change.status
  if (change.category) found.category = change.category
  if (change.header) found.header = change.header
  if (change.body) found.body = change.body
  if (change.buttons) found.buttons = change.buttons
  return found
}

function webhooksOf(
  number: MetaNumber,
  { name, language, category }: Template,
  change: z.output<typeof TemplateChange>,
) {
  const template = {
    message_template_id: 1_689_556_908_129_832,
    message_template_name: name,
    message_template_language: language,
  }
  return [
    ...(change.status
      ? [webhook(number, 'message_template_status_update', { event: change.status, reason: 'NONE', ...template })]
      : []),
    ...(change.category ? [webhook(number, 'template_category_update', { ...template, new_category: category })] : []),
  ]
}
