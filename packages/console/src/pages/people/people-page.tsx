import { useNavigate, useParams } from 'react-router'
import { addressOf, isAddress } from '../../api/recipients.ts'
import { useAddress } from '../../ui/address.ts'
import { ApplicationFilter } from '../../ui/application-choice.tsx'
import { FilterRecipient } from '../../ui/filter-recipient.tsx'
import { rememberApplication, useFirstApplication } from '../../ui/first-application.tsx'
import { useMode } from '../../ui/mode.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { ChoicePanel } from './choice-panel.tsx'
import { ConsentPanel } from './consent-panel.tsx'
import { ExplainPanel } from './explain-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { MessagePanel } from './message-panel.tsx'
import { NamePanel } from './name-panel.tsx'
import { usePreferences } from './queries.ts'
import { SuppressionPanel } from './suppression-panel.tsx'
import type { NameKind, Person } from './words.ts'

const isNameKind = (text: string | undefined): text is NameKind => text === 'user' || text === 'address'

/** What is known of one person, found by the whole address or user id. */
export function PeoplePage() {
  const { of, token = '' } = useParams()
  const navigate = useNavigate()
  const { search, change } = useAddress()
  const { first = '' } = useFirstApplication()
  const { mode = 'live' } = useMode()
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
        <Found key={`${applicationId}/${token}/${mode}`} person={{ applicationId, of, token, mode }} />
      )}
    </>
  )
}

function Found({ person }: { person: Person }) {
  const { data, error } = usePreferences(person)
  // The names come first on the page: without them, all that is below would move when they arrive.
  if (!data && !error) {
    return (
      <Panel>
        <div className="p-4">
          <Skeleton lines={9} />
        </div>
      </Panel>
    )
  }
  const names = data?.names ?? []
  const self = { of: person.of, recipient_token: person.token, recipient_masked: undefined }
  const shown = names.length > 0 ? names : [self]
  const addresses = shown.filter(({ of }) => of !== 'user')
  const numbers = names.length > 0 ? names.filter(({ of }) => of === 'phone') : addresses
  return (
    <div className="flex flex-col gap-6">
      <NamePanel person={person} preferences={data} />
      <ChoicePanel person={person} />
      <ExplainPanel person={person} />
      <HistoryPanel person={person} />
      {addresses.map(({ recipient_token: token, recipient_masked: of }) => (
        <SuppressionPanel key={token} token={token} of={of} />
      ))}
      {numbers.map(({ recipient_token: token }) => (
        <ConsentPanel key={token} token={token} />
      ))}
      {shown.map(({ recipient_token: token, recipient_masked: of }) => (
        <MessagePanel key={token} token={token} of={of} mode={person.mode} />
      ))}
    </div>
  )
}
