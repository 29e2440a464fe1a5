import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { addressOf, tokenOf } from '../../api/recipients.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { FilterRecipient } from '../../ui/filter-recipient.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { useLatest } from '../../ui/use-latest.ts'
import { ledgerColumns } from './entry-columns.tsx'
import { NumberConsent } from './number-consent.tsx'
import { useConsent, useLedger } from './queries.ts'
import { RecordOptIn } from './record-opt-in.tsx'
import { RecordOptOut } from './record-opt-out.tsx'

/** The consent of one number, or the latest entries of the ledger. */
export function ConsentsPage() {
  const [search, setSearch] = useSearchParams()
  const { dialog, show, close } = useUrlDialog<'opt-in' | 'opt-out'>()
  const token = search.get('recipient') ?? ''
  const { data: consent, isLoading } = useConsent(token)
  // Neither the address nor a request has the number; a new one is known only here.
  const [typed, setTyped] = useState({ token: '', phone: '' })
  const phone = consent?.phone_e164 ?? (typed.token === token ? typed.phone : '')
  // A form starts with the number, under which its draft is kept.
  const form = isLoading && phone === '' ? null : dialog
  const showToken = (found: string) => setSearch(found ? { recipient: found } : {})
  const ask = useLatest(token)
  const open = async (number: string) => {
    const isWanted = ask()
    try {
      const found = await tokenOf(number)
      if (isWanted()) showToken(found)
    } catch (error) {
      if (isWanted()) showToast({ tone: 'bad', text: `The number is not shown: ${(error as Error).message}` })
    }
  }
  const optIn = (
    <PermittedButton needs="providers:manage" kind="primary" onClick={() => show('opt-in')}>
      Record an opt-in
    </PermittedButton>
  )
  return (
    <>
      {token ? <BackLink to="/consents">Latest entries</BackLink> : null}
      <PageHeader
        title="Consents"
        lead="WhatsApp messages go only to numbers that have opted in. Entries of this ledger are never changed."
      >
        <PermittedButton needs="providers:manage" onClick={() => show('opt-out')}>
          Record an opt-out
        </PermittedButton>
        {optIn}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <FilterRecipient
          label="Whole number"
          placeholder="Whole number, as +15551230001"
          className="min-w-52 flex-1 max-md:basis-full md:max-w-80"
          normalize={addressOf}
          value={token}
          onChange={(found, number) => {
            ask()
            setTyped({ token: found, phone: number })
            showToken(found)
          }}
        />
      </search>
      {token ? (
        <NumberConsent key={token} token={token} record={optIn} />
      ) : (
        <Ledger onOpen={(number) => void open(number)} record={optIn} />
      )}
      {form === 'opt-in' ? (
        <RecordOptIn phone={phone} consent={consent} onRecorded={(number) => void open(number)} onClose={close} />
      ) : null}
      {form === 'opt-out' ? (
        <RecordOptOut phone={phone} onRecorded={(number) => void open(number)} onClose={close} />
      ) : null}
    </>
  )
}

/** The latest entries; a row opens the number. */
function Ledger({ onOpen, record }: { onOpen: (phone: string) => void; record: React.ReactNode }) {
  const list = useLedger(useCursor())
  return (
    <ListPanel
      list={list}
      label="Latest entries"
      columns={ledgerColumns}
      rowId={({ id }) => id}
      onOpen={({ phone_e164 }) => onOpen(phone_e164)}
      empty={
        <EmptyState title="No consent has been recorded yet" action={record}>
          Record the opt-in of a number, here or by the API, before you send to it by WhatsApp. A recipient who answers
          STOP appears here automatically.
        </EmptyState>
      }
    />
  )
}
