import type { FieldError, LayoutTexts, LayoutTranslations } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Renderer, TemplateForm, VariablePath } from '@notify/templates'
import { partsAround } from '../../channels/email/wrap.ts'
import { isWithin } from '../translations/check-translations.ts'
import { requireTranslationRoom } from '../translations/keep-translations.ts'

type Needs = { renderer: Renderer }

interface Given extends LayoutTexts {
  translations?: LayoutTranslations | null | undefined
}

const formOf = { html_body: 'html', body: 'text' } as const satisfies Record<keyof LayoutTexts, TemplateForm>

const textsOf = ({ html_body, body }: LayoutTexts) =>
  [['html_body', html_body] as const, ['body', body] as const].flatMap(([field, template]) =>
    template === undefined ? [] : [{ field, template, form: formOf[field] }],
  )

/**
 * Refuses a layout that can never be rendered, that does not print the content once, outside of tags, and translations with
 * variables that it does not have itself.
 * @throws Problem `validation_failed` or `translation_variable_unknown` naming each fault, `translation_limit_reached`,
 * `rate_limited`
 */
export async function requireValidLayout(context: Needs, tenantId: string, given: Given): Promise<void> {
  const { translations } = given
  if (translations) requireTranslationRoom(translations)
  const own = await checked(context, tenantId, given, '')
  const errors: FieldError[] = []
  for (const [locale, texts] of Object.entries(translations ?? {})) {
    const path = `translations.${locale}`
    const variables = await checked(context, tenantId, texts, `${path}.`)
    const unknown = variables.filter((one) => !own.some((other) => isWithin(one, other)))
    for (const name of new Set(unknown.map((segments) => segments.join('.'))))
      errors.push({ path, message: `uses the variable ${name}, which the layout does not have` })
  }
  const [first] = errors
  if (first) throw new Problem('translation_variable_unknown', `${first.path} ${first.message}`, { errors })
}

/** @returns the variables of the texts */
async function checked(
  { renderer }: Needs,
  tenantId: string,
  layout: LayoutTexts,
  path: string,
): Promise<VariablePath[]> {
  const texts = textsOf(layout)
  const errors: FieldError[] = []
  for (const text of texts) {
    const message = await faultOf(renderer, tenantId, text)
    if (message) errors.push({ path: `${path}${text.field}`, message })
  }
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
  return renderer.variablesOf(tenantId, texts.flatMap(around))
}

type Text = { template: string; form: TemplateForm }

/** What stands before and after the content, each by itself. */
const around = ({ form, template }: Text): Text[] =>
  (partsAround(template) ?? []).map((part) => ({ form, template: part }))

async function faultOf(renderer: Renderer, tenantId: string, text: Text): Promise<string | undefined> {
  const fault = await renderer.faultOf(tenantId, text)
  if (fault !== undefined) return `is not a valid template: ${fault}`
  const parts = around(text)
  if (parts.length === 0) return 'must contain {{ content }} once'
  // A tag that is open around the content leaves a part that is not valid by itself.
  for (const part of parts)
    if ((await renderer.faultOf(tenantId, part)) !== undefined) return 'must contain {{ content }} outside of tags'
  const names = await renderer.variablesOf(tenantId, parts)
  return names.some(([name]) => name === 'content') ? 'must use content in {{ content }} alone, once' : undefined
}
