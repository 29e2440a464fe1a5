import { Link } from 'react-router'
import { Badge } from '../../ui/badge.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { OldNote } from '../../ui/old-note.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { TitledSection } from '../../ui/titled-section.tsx'
import { isUnknown, useConsent } from '../consents/queries.ts'
import { consentStatuses } from '../consents/words.ts'

/** Whether a number may receive WhatsApp messages. */
export function ConsentPanel({ token }: { token: string }) {
  const query = useConsent(token)
  const { data, error, refetch } = query
  return (
    <TitledSection title="WhatsApp consent">
      <Panel>
        <OldNote of={query} />
        {data ? (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
            <Badge tone={consentStatuses[data.status].tone}>{consentStatuses[data.status].name}</Badge>
            <span className="text-soft">
              {consentStatuses[data.status].means} Changed <Time at={data.changed_at} />.
            </span>
            <Link to={`/consents?recipient=${token}`} className="text-accent underline underline-offset-2">
              Entries of the ledger
            </Link>
          </p>
        ) : isUnknown(error) ? (
          <EmptyState title="No consent is recorded">Nothing is sent to it by WhatsApp.</EmptyState>
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="p-4">
            <Skeleton lines={1} />
          </div>
        )}
      </Panel>
    </TitledSection>
  )
}
