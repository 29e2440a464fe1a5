import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { OldNote } from '../../ui/old-note.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { historyColumns } from './entry-columns.tsx'
import { isUnknown, useConsent } from './queries.ts'
import { consentStatuses } from './words.ts'

interface NumberConsentProps {
  /** Of the number. */
  token: string
  /** The button that records an opt-in. */
  record: ReactNode
}

/** Whether one number may receive messages, with its entries in the ledger. */
export function NumberConsent({ token, record }: NumberConsentProps) {
  const query = useConsent(token)
  const { data: consent, error, refetch } = query
  if (!consent && isUnknown(error)) {
    return (
      <Panel>
        <EmptyState title="The ledger has no entry of this number" action={record}>
          Nothing is sent to it by WhatsApp until an opt-in is recorded.
        </EmptyState>
      </Panel>
    )
  }
  if (!consent && error) {
    return (
      <Panel>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Panel>
    )
  }
  return (
    <Panel>
      <OldNote of={query} />
      <div className="flex min-h-[72px] flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        {consent ? (
          <>
            <h2 className="text-base font-semibold">
              <CopyableId id={consent.phone_e164} what="number" />
            </h2>
            <Badge tone={consentStatuses[consent.status].tone}>{consentStatuses[consent.status].name}</Badge>
            {consent.marketing === 'stopped' ? <Badge tone="warn">Marketing stopped</Badge> : null}
            <p className="basis-full text-soft">
              {consentStatuses[consent.status].means} Changed <Time at={consent.changed_at} />.
            </p>
          </>
        ) : (
          <div className="w-60">
            <Skeleton lines={2} />
          </div>
        )}
      </div>
      <DataTable
        label="History of the number"
        columns={historyColumns}
        rows={consent?.history}
        rowId={({ id }) => id}
        expected={3}
        empty={null}
      />
    </Panel>
  )
}
