import { codeNames, type EventTemplates, type FieldError, type linkNames } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { Channels } from '../../channels/channel.ts'
import { type TemplateReference, textsOf } from '../../channels/channel-template.ts'
import { type PresentTemplate, presentTemplates } from '../../channels/present-templates.ts'
import type { StoredContent } from '../../db/event-tables.ts'
import { templatesNamed } from '../carrier-templates/carrier-template-store.ts'
import { requireFit } from '../carrier-templates/require-fit.ts'
import { requireListedChannels } from '../topics/require-topic.ts'
import type { EventId } from './event-store.ts'

/**
 * Refuses to publish an event that could never be sent.
 * @throws Problem `validation_failed` naming the channels without a template, and templates of one-time codes without
 * `{{code}}`, and placeholders of the carrier's template that are not filled; `template_category_mismatch`; `channel_not_allowed`
 */
export async function requirePublishable(
  run: Run,
  channels: Channels,
  id: EventId,
  content: Omit<StoredContent, 'translation_bases'>,
): Promise<void> {
  const { allowed_channels, templates, translations } = content
  const errors = allowed_channels
    .filter((channel) => !templates[channel])
    .map(
      (channel): FieldError => ({ path: `templates.${channel}`, message: `is missing; the event allows ${channel}` }),
    )
  if (allowed_channels.length === 0) {
    errors.push({ path: 'allowed_channels', message: 'must name at least one channel to be published' })
  }
  const sets = { templates, ...byPath(translations ?? {}) }
  const present = Object.entries(sets).flatMap(([path, set]) =>
    presentTemplates(channels, set).map((one) => ({ path, ...one })),
  )
  if (sendsCodes(id)) errors.push(...present.flatMap(missingCodes))
  if (sendsCodes(id) && content.digest)
    errors.push({ path: 'digest', message: 'must be null: the event sends one-time codes, which cannot wait' })
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
  await requireListedChannels(run, id, content)
  for (const { path, name, definition, template } of present) {
    const reference = definition.referenceOf?.(template, true)
    if (reference) await requireApprovedCategory(run, id, `${path}.${name}.category`, reference)
  }
  await requireFit(run, channels, id, content, sendsCodes(id))
}

const link = 'https://links.example'
/** What a code's template is given. */
const sampleOfCode = {
  ...({ code: '000000', minutes: 5, autofill: '' } satisfies Record<(typeof codeNames)[number], unknown>),
  ...({ unsubscribe_url: link, preferences_url: link } satisfies Record<(typeof linkNames)[number], string>),
}

/**
 * Refuses templates of one-time codes that require a variable which no code has: every code would be refused. Translations only
 * have variables of the templates.
 * @throws Problem `validation_failed` naming each, `rate_limited`
 */
export async function requireCodeVariables(
  { channels, renderer }: { channels: Channels; renderer: Renderer },
  id: EventId,
  templates: EventTemplates,
): Promise<void> {
  if (!sendsCodes(id)) return
  const present = presentTemplates(channels, templates).filter(({ definition }) => definition.codeTexts)
  const errors: FieldError[] = []
  for (const text of present.flatMap(({ definition, template }) => textsOf(definition, template))) {
    const missing = await missingVariable(renderer, id.tenantId, text)
    if (missing === undefined) continue
    const message = `requires the variable ${missing}, which codes do not have; they have ${codeNames.join(', ')}`
    errors.push({ path: `templates.${text.path}`, message })
  }
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
}

async function missingVariable(
  renderer: Renderer,
  tenantId: string,
  text: ReturnType<typeof textsOf>[number],
): Promise<string | undefined> {
  try {
    await renderer.fill(tenantId, [{ ...text, field: 'data' }], sampleOfCode)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'template_variable_missing') throw error
    return error.errors?.[0]?.path.replace('data.', '')
  }
}

/** Each set of templates by its path in the event. */
function byPath(translations: Record<string, EventTemplates>): Record<string, EventTemplates> {
  return Object.fromEntries(Object.entries(translations).map(([locale, set]) => [`translations.${locale}`, set]))
}

/** The events `otp` and `otp.<language>` send one-time codes. */
export const sendsCodes = ({ eventKey }: Pick<EventId, 'eventKey'>) => eventKey === 'otp' || eventKey.startsWith('otp.')

/** The templates of a one-time code that do not print it. */
function missingCodes({ path: set, definition, template }: PresentTemplate & { path: string }): FieldError[] {
  return Object.entries(definition.codeTexts?.(template) ?? {})
    .filter(([, text]) => text !== undefined && !printsCode(text))
    .map(([path]) => ({ path: `${set}.${path}`, message: 'must contain {{code}}: the event sends one-time codes' }))
}

/** Whether a placeholder names `code`. */
const printsCode = (template: string) =>
  template
    .split('{{')
    .slice(1)
    .some((part) => /\bcode\b/.test(part.split('}}', 1)[0]!))

/** A template that the carrier has not judged yet may be published. Sends are refused until it is approved. */
async function requireApprovedCategory(
  run: Run,
  id: EventId,
  path: string,
  { name, language, category }: TemplateReference,
): Promise<void> {
  const known = await templatesNamed(run, id, { name, language })
  const approved = [...new Set(known.filter(({ status }) => status === 'approved').map((one) => one.category))].sort()
  if (approved.length === 0 || approved.includes(category)) return
  const message = `is ${category}, but the template ${name} is approved as ${approved.join(' and ')}`
  throw new Problem('template_category_mismatch', `${path} ${message}`, { errors: [{ path, message }] })
}
