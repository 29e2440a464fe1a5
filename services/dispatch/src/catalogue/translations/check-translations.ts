import { digestNames, type EventTemplates, type EventTranslations, type FieldError, linkNames } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Renderer, VariablePath } from '@notify/templates'
import type { Channels } from '../../channels/channel.ts'
import { textsOf } from '../../channels/channel-template.ts'
import { requireFillable } from '../../channels/check-templates.ts'
import { presentTemplates } from '../../channels/present-templates.ts'
import { requireTranslationRoom } from './keep-translations.ts'

type Needs = { renderer: Renderer; channels: Channels }

/**
 * Refuses translations that can never be rendered, or that break a rule of their channel for all variables.
 * @throws Problem `translation_limit_reached`, before any is parsed; `validation_failed` naming each fault of the first such
 * locale; `rate_limited`
 */
export async function requireFillableTranslations(
  context: Needs,
  tenantId: string,
  translations: EventTranslations = {},
): Promise<void> {
  requireTranslationRoom(translations)
  for (const [locale, templates] of Object.entries(translations))
    await requireFillable(context, tenantId, templates, `translations.${locale}`)
}

interface Translated {
  templates: EventTemplates
  translations?: EventTranslations | null | undefined
  digest?: object | null | undefined
}

/**
 * Refuses translations that a send in another language would not need: of a channel without a template, or with a variable that
 * the template of the channel does not have. Callers give what the template needs, whatever the recipient's language.
 * @throws Problem `validation_failed`, `translation_variable_unknown` naming each, `rate_limited`
 */
export async function requireKnownVariables(
  context: Needs,
  tenantId: string,
  { templates, translations, digest }: Translated,
): Promise<void> {
  const locales = Object.entries(translations ?? {})
  if (locales.length === 0) return
  const known = await variablesByChannel(context, tenantId, templates)
  const errors: FieldError[] = []
  for (const [locale, translated] of locales) {
    for (const [channel, variables] of await variablesByChannel(context, tenantId, translated)) {
      const path = `translations.${locale}.${channel}`
      const ofBase = known.get(channel)
      if (!ofBase) throw baseMissing(path, channel)
      const unknown = variables.filter((one) => !isGiven(one, digest) && !ofBase.some((other) => isWithin(one, other)))
      for (const one of new Set(unknown.map((segments) => segments.join('.'))))
        errors.push({ path, message: `uses the variable ${one}, which the template for ${channel} does not have` })
    }
  }
  const [first] = errors
  if (first) throw new Problem('translation_variable_unknown', `${first.path} ${first.message}`, { errors })
}

function baseMissing(path: string, channel: string): Problem {
  const message = `translates nothing: there is no template for ${channel}`
  return new Problem('validation_failed', `${path} ${message}`, { errors: [{ path, message }] })
}

async function variablesByChannel({ renderer, channels }: Needs, tenantId: string, templates: EventTemplates) {
  const found = new Map<string, VariablePath[]>()
  for (const { name, definition, template } of presentTemplates(channels, templates))
    found.set(name, await renderer.variablesOf(tenantId, textsOf(definition, template)))
  return found
}

/** Whether it is a variable that every template has, or every one of a digest. */
const isGiven = ([name]: VariablePath, digest: Translated['digest']) =>
  linkNames.some((one) => one === name) || (digest && digestNames.some((one) => one === name))

/** Whether one path leads to the other: who is given `order` may read `order.id`. */
export function isWithin(one: VariablePath, other: VariablePath): boolean {
  const length = Math.min(one.length, other.length)
  return one.slice(0, length).every((segment, at) => segment === other[at])
}
