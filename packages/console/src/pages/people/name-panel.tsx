import { Link } from 'react-router'
import { Badge } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { nameKinds, type Person, type PersonName, type Preferences } from './words.ts'

/** The names of the person that the record of the user links: choices made for any of them count. */
export function NamePanel({ person, preferences }: { person: Person; preferences: Preferences | undefined }) {
  const { names = [], sharing = [] } = preferences ?? {}
  const lead = sharing.length > 0 ? 'Several users have this address. Open one to see its choices.' : leadOf(person)
  const shown = sharing.length > 0 ? sharing : names
  if (shown.length === 0) return null
  return (
    <TitledSection title={sharing.length > 0 ? 'Users of this address' : 'The user'} lead={lead}>
      <Panel>
        <ul>
          {shown.map((name) => (
            <li key={name.recipient_token} className="flex gap-3 border-b border-line px-4 py-2 last:border-b-0">
              <span className="w-16 text-faint">{nameKinds[name.of]}</span>
              <Name name={name} person={person} />
            </li>
          ))}
        </ul>
      </Panel>
    </TitledSection>
  )
}

const leadOf = ({ mode }: Person) =>
  `What is known of it by ${mode} keys. Choices, suppressions and messages of all these names are shown below.`

function Name({ name: { of, recipient_token, recipient_masked }, person }: { name: PersonName; person: Person }) {
  if (recipient_token === person.token) {
    return (
      <span className="flex flex-wrap items-center gap-2">
        <PlainText>{recipient_masked}</PlainText> <Badge>Searched</Badge>
      </span>
    )
  }
  const path = `/people/${of === 'user' ? 'user' : 'address'}/${recipient_token}?application_id=${person.applicationId}`
  return (
    <Link to={path} className="text-accent underline underline-offset-2">
      <PlainText>{recipient_masked}</PlainText>
    </Link>
  )
}
