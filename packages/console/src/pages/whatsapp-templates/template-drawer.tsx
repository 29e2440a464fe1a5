import { Link } from 'react-router'
import type { WhatsAppTemplate } from '../../api/whatsapp-templates.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { stateOf } from './words.ts'

interface TemplateDrawerProps {
  /** undefined when this page of the list does not have it. */
  template: WhatsAppTemplate | undefined
  providerNames: ReadonlyMap<string, string>
  onClose: () => void
}

/** The carrier's report on one template, including what small screens omit from the list. */
export function TemplateDrawer({ template, providerNames, onClose }: TemplateDrawerProps) {
  if (!template) {
    return (
      <Drawer title="WhatsApp template" onClose={onClose}>
        <EmptyState title="This template is not on this page of the list">
          It may have been deleted. Search for a part of its name to find it.
        </EmptyState>
      </Drawer>
    )
  }
  const { name, language, category, status, quality, provider_id, reported_at } = template
  const state = stateOf(status)
  return (
    <Drawer title={`${name} (${language})`} onClose={onClose}>
      <Facts>
        <Fact name="State">
          <Badge tone={state.tone}>{state.name}</Badge>
          {status === 'approved' ? null : <span className="block text-faint">Only approved templates are sent.</span>}
        </Fact>
        <Fact name="Name">
          <CopyableId id={name} what="name" />
        </Fact>
        <Fact name="Language">{language}</Fact>
        <Fact name="Category">{stateOf(category).name}</Fact>
        <Fact name="Quality">{quality ? stateOf(quality).name : 'Not rated'}</Fact>
        <Fact name="Provider">
          <Link to={`/providers/${provider_id}`} className="text-accent underline underline-offset-2">
            <PlainText>{providerNames.get(provider_id) ?? provider_id}</PlainText>
          </Link>
        </Fact>
        <Fact name="Reported">
          <ExactTime at={reported_at} />
        </Fact>
      </Facts>
    </Drawer>
  )
}
