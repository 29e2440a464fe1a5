import type { EventTemplates, FieldError } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { faultOf } from '../events/render-template.ts'
import { mapTemplates } from './map-templates.ts'

/** Texts with placeholders that a set of templates may hold: each takes its time when filled. */
const maxTexts = 200
const maxFaults = 50

/**
 * Refuses templates that could never be filled, before anybody sends with them.
 * @throws Problem `validation_failed` naming each
 */
export function requireFillable(templates: EventTemplates): void {
  const errors: FieldError[] = []
  let texts = 0
  mapTemplates(templates, (template, form, path) => {
    texts++
    if (texts <= maxTexts && errors.length < maxFaults) {
      const fault = faultOf(form, template)
      if (fault !== undefined) errors.push({ path: `templates.${path}`, message: `is no template: ${fault}` })
    }
    return template
  })
  if (texts > maxTexts) {
    errors.unshift({ path: 'templates', message: `must hold at most ${maxTexts} texts; these are ${texts}` })
  }
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
}
