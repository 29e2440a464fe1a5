import { useNavigate, useParams } from 'react-router'
import { addressOf, isAddress } from '../../api/recipients.ts'
import { useAddress } from '../../ui/address.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { FilterRecipient } from '../../ui/filter-recipient.tsx'
import { rememberApplication, useFirstApplication } from '../../ui/first-application.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ChoicePanel } from './choice-panel.tsx'
import { ConsentPanel } from './consent-panel.tsx'
import { ExplainPanel } from './explain-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { MessagePanel } from './message-panel.tsx'
import { SuppressionPanel } from './suppression-panel.tsx'
import type { NameKind } from './words.ts'

const isNameKind = (text: string | undefined): text is NameKind => text === 'user' || text === 'address'

/** What is known of one person, found by the whole address or user id. */
export function PeoplePage() {
  const { of, token = '' } = useParams()
  const navigate = useNavigate()
  const { search, change } = useAddress()
  const { first = '' } = useFirstApplication()
  const applicationId = search.get('application_id') ?? first
  const choose = (id: string) => {
    rememberApplication(id)
    change({ application_id: id, cursor: null })
  }
  const open = (found: string, typed: string) => {
    const path = found === '' ? '/people' : `/people/${isAddress(typed) ? 'address' : 'user'}/${found}`
    const chosen = search.get('application_id')
    void navigate(chosen ? `${path}?application_id=${chosen}` : path)
  }
  return (
    <>
      <PageHeader
        title="People"
        lead="What one person gets, and why: choices, suppressions, consent and the last messages."
      />
      <search className="flex flex-wrap gap-2 pb-3">
        <FilterRecipient
          label="Whole address or user id"
          value={token}
          normalize={(text) => (isAddress(text) ? addressOf(text) : text)}
          onChange={open}
        />
        <ApplicationFilter value={applicationId} onChange={choose} />
      </search>
      {token === '' || !isNameKind(of) ? (
        <Panel>
          <EmptyState title="Search for one person">
            Write the whole email address, number or user id. It is neither in the address of the page nor in logs.
          </EmptyState>
        </Panel>
      ) : applicationId === '' ? (
        <Panel>
          <EmptyState title="Choose an application">People choose for each application.</EmptyState>
        </Panel>
      ) : (
        <Found key={`${applicationId}/${token}`} person={{ applicationId, of, token }} />
      )}
    </>
  )
}

function Found({ person }: { person: { applicationId: string; of: NameKind; token: string } }) {
  const { of, token } = person
  return (
    <div className="flex flex-col gap-6">
      <ChoicePanel person={person} />
      <ExplainPanel person={person} />
      <HistoryPanel person={person} />
      {of === 'address' ? <SuppressionPanel token={token} /> : null}
      {of === 'address' ? <ConsentPanel token={token} /> : null}
      <MessagePanel token={token} />
    </div>
  )
}
