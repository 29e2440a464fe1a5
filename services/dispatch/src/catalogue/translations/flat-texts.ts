import type { EventTemplates, EventTranslations, FieldError } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Channels } from '../../channels/channel.ts'
import { textsOf } from '../../channels/channel-template.ts'
import { type PresentTemplate, presentTemplates } from '../../channels/present-templates.ts'

type Texts = Record<string, string>

/** The texts of templates by path. @param withFields whether to add what a translation has of its own beside them */
export function flatten(channels: Channels, templates: EventTemplates, withFields: boolean): Texts {
  return Object.fromEntries(
    presentTemplates(channels, templates).flatMap(({ definition, template }) => [
      ...(withFields ? Object.entries(definition.ownFields?.(template) ?? {}) : []),
      ...textsOf(definition, template).map(({ path, template: text }) => [path, text]),
    ]),
  )
}

/**
 * A translation with its texts replaced, in the channels that the texts name. What stands beside the texts is that of the present
 * translation, or of the templates where a channel has none.
 * @throws Problem `validation_failed` naming texts that the templates do not have, and those that are missing of a channel
 */
export function unflatten(
  channels: Channels,
  { templates, translations }: { templates: EventTemplates; translations?: EventTranslations | null | undefined },
  locale: string,
  texts: Texts,
): EventTemplates {
  const left = new Set(Object.keys(texts))
  const translated = presentTemplates(channels, translations?.[locale] ?? {})
  const made: EventTemplates = {}
  const errors: FieldError[] = []
  for (const base of presentTemplates(channels, templates)) {
    const { name, definition } = base
    const known = translated.find((one) => one.name === name)
    // It may lack optional texts of the template, or have others.
    const { template } = known && hasTexts(known, texts) ? known : base
    const paths = textsOf(definition, template).map(({ path }) => path)
    const fields = Object.keys(definition.ownFields?.(template) ?? {})
    const named = [...paths, ...fields].filter((path) => left.delete(path))
    if (named.length === 0) continue
    const missing = paths.filter((path) => texts[path] === undefined)
    errors.push(
      ...missing.map((path) => ({ path: `texts.${path}`, message: 'is missing: a channel is translated whole' })),
    )
    const own = definition.localize?.(template, locale, texts, known?.template) ?? template
    Object.assign(made, { [name]: definition.map(own, (_text, _form, path) => texts[path] ?? '') })
  }
  for (const path of left) errors.push({ path: `texts.${path}`, message: 'is not a text of the templates' })
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors: errors.slice(0, 50) })
  return made
}

/** Whether the texts of a template's channel are its own: all of them, and no others. */
function hasTexts({ name, definition, template }: PresentTemplate, texts: Texts): boolean {
  const paths = textsOf(definition, template).map(({ path }) => path)
  const own = new Set([...paths, ...Object.keys(definition.ownFields?.(template) ?? {})])
  const given = Object.keys(texts).filter((path) => path.startsWith(`${name}.`))
  return paths.every((path) => texts[path] !== undefined) && given.every((path) => own.has(path))
}
