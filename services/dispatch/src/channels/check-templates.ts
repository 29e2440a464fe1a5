import type { EventTemplates, FieldError } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { InTurn, Renderer } from '@notify/templates'
import type { Channels } from './channel.ts'
import { textsOf } from './channel-template.ts'
import { presentTemplates } from './present-templates.ts'

/** Maximum texts with placeholders in a set of templates. */
const maxTexts = 200
const maxFaults = 50

/**
 * Refuses templates that can never be rendered, or that break a rule of their channel for all variables.
 * @throws Problem `validation_failed` naming each, `rate_limited` when the tenant's templates take too much time
 */
export async function requireFillable(
  { renderer, channels }: { renderer: Renderer; channels: Channels },
  tenantId: string,
  templates: EventTemplates,
  path = 'templates',
): Promise<void> {
  const present = presentTemplates(channels, templates)
  const texts = present.flatMap(({ definition, template }) => textsOf(definition, template))
  const errors: FieldError[] = []
  if (texts.length > maxTexts) {
    errors.push({ path, message: `must have at most ${maxTexts} texts; it has ${texts.length}` })
  }
  for (const text of texts.slice(0, maxTexts)) {
    const fault = await renderer.faultOf(tenantId, text)
    if (fault !== undefined) errors.push({ path: `${path}.${text.path}`, message: `is not a valid template: ${fault}` })
    if (errors.length >= maxFaults) break
  }
  const inTurn: InTurn = (work) => renderer.inTurn(tenantId, work)
  const faultsOf = ({ definition, template }: (typeof present)[number]) => definition.faults(template, inTurn)
  const faults = errors.length > 0 ? [] : await Promise.all(present.map(faultsOf))
  errors.push(
    ...faults
      .flat()
      .slice(0, maxFaults)
      .map((fault) => ({ ...fault, path: `${path}.${fault.path}` })),
  )
  const [first] = errors
  if (first) throw new Problem('validation_failed', `${first.path} ${first.message}`, { errors })
}
