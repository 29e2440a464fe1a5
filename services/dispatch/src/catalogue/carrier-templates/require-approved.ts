import { Problem } from '@notify/service-kit'
import type { FilledReference } from '../../channels/channel-template.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { WithCarrierTemplates } from './carrier-template-directory.ts'

/** Why no provider may send with a template; undefined when at least one may, or there is none. The send skips the others. */
export async function unapprovedBecause(
  { directory }: WithCarrierTemplates,
  providers: readonly Pick<Provider, 'id'>[],
  template: FilledReference,
): Promise<string | undefined> {
  const faults = await Promise.all(providers.map(({ id }) => directory.carrierTemplates.faultOf(id, template)))
  return faults.includes(undefined) ? undefined : faults[0]
}

/**
 * Requires that at least one provider has the template approved.
 * @param templates what may be sent; several when none of the languages that suit the recipient is approved
 * @throws Problem `template_not_approved` with the state of each
 */
export async function requireApproved(
  context: WithCarrierTemplates,
  providers: readonly Pick<Provider, 'id'>[],
  templates: readonly FilledReference[],
): Promise<void> {
  const found = await Promise.all(templates.map((one) => unapprovedBecause(context, providers, one)))
  // The message is made of the first; another may have been approved since it was chosen.
  if (found[0] === undefined) return
  const errors = templates.map(({ language }, at) => ({
    path: 'locale',
    message: `${language}: ${found[at] ?? 'approved'}`,
  }))
  throw new Problem(
    'template_not_approved',
    found.filter((fault) => fault).join('. '),
    templates.length > 1 ? { errors } : {},
  )
}
