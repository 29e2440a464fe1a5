import { useSearchParams } from 'react-router'
import { BackLink } from '../../ui/back-link.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { ledgerColumns } from './entry-columns.tsx'
import { NumberConsent } from './number-consent.tsx'
import { useLedger } from './queries.ts'
import { RecordOptIn } from './record-opt-in.tsx'
import { RecordOptOut } from './record-opt-out.tsx'
import { ungrouped } from './words.ts'

/** The consent of one number, or the latest entries of the ledger. */
export function ConsentsPage() {
  const [search, setSearch] = useSearchParams()
  const { dialog, show, close } = useUrlDialog<'opt-in' | 'opt-out'>()
  const phone = search.get('phone') ?? ''
  const open = (number: string) => setSearch(number ? { phone: number } : {})
  const optIn = (
    <PermittedButton needs="providers:manage" kind="primary" onClick={() => show('opt-in')}>
      Record an opt-in
    </PermittedButton>
  )
  return (
    <>
      {phone ? <BackLink to="/consents">Latest entries</BackLink> : null}
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
        <FilterText
          label="Whole number"
          type="search"
          placeholder="Whole number, as +15551230001"
          value={phone}
          onChange={(text) => open(ungrouped(text))}
        />
      </search>
      {phone ? <NumberConsent key={phone} phone={phone} record={optIn} /> : <Ledger onOpen={open} record={optIn} />}
      {dialog === 'opt-in' ? <RecordOptIn phone={phone} onRecorded={open} onClose={close} /> : null}
      {dialog === 'opt-out' ? <RecordOptOut phone={phone} onRecorded={open} onClose={close} /> : null}
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
          Record the opt-in of a number, here or by the API, before you write to it by WhatsApp. A recipient who answers
          STOP appears here by itself.
        </EmptyState>
      }
    />
  )
}
