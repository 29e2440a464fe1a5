import type { DispatchRequest } from '@notify/contracts'
import type { Sender } from '../../accept/accept-item.ts'
import { findTexts, topicOf } from '../../accept/prepare-content.ts'
import { requireOwnNames } from '../../catalogue/digests/digest-item.ts'
import type { WithEvents } from '../../catalogue/events/event-catalogue.ts'
import { layoutFinder, type WithLayouts } from '../../catalogue/layouts/layout-catalogue.ts'
import type { WithTemplates } from '../../catalogue/templates/template-catalogue.ts'
import type { WithTopics } from '../../catalogue/topics/topic-directory.ts'
import type { Texts } from '../../catalogue/translations/choose-text.ts'

/** Where what a request names is found. */
export type WithNamed = WithEvents & WithTemplates & WithTopics & WithLayouts

/**
 * Finds the event, stored template, topic and layout that a broadcast names.
 * @throws Problem for one that its application may not use, or not with this request: every member would be refused
 */
export async function findNamed(
  context: WithNamed,
  { principal, request }: { principal: Sender; request: DispatchRequest },
): Promise<Texts | undefined> {
  const texts = await findTexts(context, { principal, request })
  await topicOf(context, { principal, request }, texts)
  if (texts?.digest) requireOwnNames(request)
  const { tenant_id: tenantId, application_id: applicationId } = principal
  const findLayout = layoutFinder(context, { tenantId, applicationId, locale: undefined })
  if (request.layout_id !== undefined) await findLayout(request.layout_id)
  return texts
}
