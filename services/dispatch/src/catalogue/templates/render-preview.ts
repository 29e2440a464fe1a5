import {
  Channel,
  type EventTemplates,
  type EventTranslations,
  type Id,
  type SmsSegments,
  type WhatsAppTemplateContent,
} from '@notify/contracts'
import type { Queries, Run } from '@notify/database'
import { isSameLanguage, lookUp } from '@notify/locales'
import { Problem } from '@notify/service-kit'
import type { Fill, InTurn, Renderer } from '@notify/templates'
import type { Channels } from '../../channels/channel.ts'
import {
  type ChannelTemplate,
  type TemplateReference,
  textsOf,
  type VariablesField,
} from '../../channels/channel-template.ts'
import { withSampleLinks } from '../../channels/link-names.ts'
import { presentTemplates } from '../../channels/present-templates.ts'
import { type Owner, templatesNamed } from '../carrier-templates/carrier-template-store.ts'
import { layoutFinder, type WithLayouts } from '../layouts/layout-catalogue.ts'

/** Total time limit of a preview, in milliseconds; each text has its own limit. */
const longestMs = 1000

interface Preview {
  /** All channels when undefined. */
  channel: Channel | undefined
  field: VariablesField
  variables: Record<string, unknown>
  locale: string | undefined
  time_zone: string | undefined
}

/** The templates to preview, and their translations. */
interface Previewed {
  templates: EventTemplates
  translations?: EventTranslations | null | undefined
}

interface Rendered {
  rendered: EventTemplates
  locales: Partial<Record<Channel, string | null>>
  sms_segments: SmsSegments | null
  whatsapp_message: WhatsAppTemplateContent | null
}

/**
 * Renders templates as a send would.
 * @throws Problem `validation_failed`, `template_variable_missing` or `rate_limited`
 */
export async function renderPreview(
  context: { db: Queries; renderer: Renderer; channels: Channels } & WithLayouts,
  { tenantId, applicationId }: { tenantId: Id<'ten'>; applicationId: string | null },
  previewed: Previewed,
  { channel, field, variables, locale, time_zone: timeZone = 'UTC' }: Preview,
): Promise<Rendered> {
  const { db, renderer, channels } = context
  const endsAt = performance.now() + longestMs
  const fillIn =
    (written: string): Fill =>
    (texts, values) => {
      if (performance.now() > endsAt) throw new Problem('validation_failed', 'The template takes too long to render')
      return renderer.fill(tenantId, texts, withSampleLinks(texts, values), { locale: written, timeZone })
    }
  const inTurn: InTurn = (work) => renderer.inTurn(tenantId, work)
  const shown: Rendered = { rendered: {}, locales: {}, sms_segments: null, whatsapp_message: null }
  const { texts, locales } = inLocale(previewed, locale)
  for (const { name, definition, template } of presentTemplates(channels, chosen(texts, channel))) {
    const known = locales[name] ?? (previewed.translations === undefined ? locale : undefined)
    const written = known ?? 'en'
    const fill = fillIn(locale !== undefined && isSameLanguage(locale, written) ? locale : written)
    const findLayout = layoutFinder(context, { tenantId, applicationId, locale: known })
    const made = definition.preview
      ? await definition.preview(template, field, variables, fill, { findLayout, inTurn })
      : await fillEach(definition, template, field, variables, fill)
    Object.assign(shown.rendered, { [name]: made })
    shown.locales[name] = locales[name] ?? null
    const reference = definition.referenceOf?.(made, true)
    const content =
      reference && (await contentOf(db.run, { tenantId, applicationId: applicationId as Id<'app'> | null }, reference))
    if (content) shown.whatsapp_message = definition.shownAs?.(made, content) ?? null
    shown.sms_segments ??= definition.segmentsOf?.(made) ?? null
  }
  return shown
}

/** What an account's template says: an approved one if there is any. */
async function contentOf(run: Run, owner: Owner, reference: TemplateReference) {
  const known = (await templatesNamed(run, owner, reference)).filter(({ content }) => content !== null)
  return (known.find(({ status }) => status === 'approved') ?? known[0])?.content
}

/** One text at a time, so that the time limit is checked between them. */
async function fillEach<T>(
  definition: ChannelTemplate<T>,
  template: T,
  field: VariablesField,
  variables: Record<string, unknown>,
  fill: Fill,
): Promise<T> {
  const filled: string[] = []
  for (const { form, template: text } of textsOf(definition, template)) {
    filled.push(...(await fill([{ form, template: text, field }], variables)))
  }
  return definition.map(template, () => filled.shift() ?? '')
}

function chosen(templates: EventTemplates, channel: Channel | undefined): EventTemplates {
  if (channel === undefined) return templates
  if (templates[channel]) return { [channel]: templates[channel] }
  throw new Problem('validation_failed', `The template has no content for ${channel}`, {
    errors: [{ path: 'channel', message: 'is not a channel of the template' }],
  })
}

/** The text of each channel that a send in a locale would use, and its language where it is a translation. */
function inLocale({ templates, translations }: Previewed, locale: string | undefined) {
  const texts: EventTemplates = {}
  const locales: Partial<Record<Channel, string>> = {}
  for (const channel of Channel.options) {
    const [found] = lookUp(locale === undefined ? [] : [locale], (one) => translations?.[one]?.[channel] !== undefined)
    const template = found === undefined ? templates[channel] : translations![found]![channel]
    if (template) Object.assign(texts, { [channel]: template })
    if (found !== undefined) locales[channel] = found
  }
  return { texts, locales }
}
