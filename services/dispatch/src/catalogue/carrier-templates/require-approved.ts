import { Problem } from '@notify/service-kit'
import type { TemplateReference } from '../../channels/channel-template.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { WithCarrierTemplates } from './carrier-template-directory.ts'

/**
 * Requires that at least one provider has the template approved. The send skips the others.
 * @throws Problem `template_not_approved`
 */
export async function requireApproved(
  { directory }: WithCarrierTemplates,
  providers: readonly Provider[],
  template: TemplateReference,
): Promise<void> {
  const faults = await Promise.all(providers.map(({ id }) => directory.carrierTemplates.faultOf(id, template)))
  const [first] = faults
  if (first !== undefined && !faults.includes(undefined)) throw new Problem('template_not_approved', first)
}
