import { Plus } from 'lucide-react'
import { useNavigate, useParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { AddDomain } from './add-domain.tsx'
import { DomainDetail } from './domain-detail.tsx'
import { useDomains } from './queries.ts'
import { type Domain, domainStatuses, progressOf } from './words.ts'

const columns: Column<Domain>[] = [
  {
    id: 'domain',
    header: 'Domain',
    cell: ({ domain }) => <PlainText className="block truncate font-medium">{domain}</PlainText>,
    grow: 'always',
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={domainStatuses[status].tone}>{domainStatuses[status].name}</Badge>,
  },
  {
    id: 'records',
    header: 'Records',
    cell: (domain) => <span className="text-soft">{progressOf(domain)}</span>,
    wide: true,
  },
  {
    id: 'checked',
    header: 'Looked up',
    cell: ({ last_checked_at }) => (
      <span className="text-soft">{last_checked_at ? <Time at={last_checked_at} /> : 'Not yet'}</span>
    ),
    align: 'right',
    wide: true,
  },
]

/** The sending domains of email. */
export function DomainsPage() {
  const { id } = useParams()
  return id ? <DomainDetail key={id} id={id} /> : <DomainList />
}

function DomainList() {
  const navigate = useNavigate()
  const address = useAddressFilters<{ find?: string }>(['find'])
  const list = useDomains(address.filters.find ?? '', useCursor())
  const { dialog, show, close } = useUrlDialog<'add'>()
  const add = (
    <Button kind="primary" onClick={() => show('add')}>
      <Plus size={14} aria-hidden />
      Add a domain
    </Button>
  )
  return (
    <>
      <ListPage
        title="Domains"
        lead="Email is sent from addresses of verified domains only."
        actions={add}
        address={address}
        searchBy="find"
        searchLabel="Part of a domain"
        list={list}
        columns={columns}
        rowId={({ domain_id }) => domain_id}
        onOpen={({ domain_id }) => void navigate(`/domains/${domain_id}`)}
        expected={6}
        noneFound="No domain has this in its name"
        noneYet={
          <EmptyState title="No domain has been added yet" action={add}>
            Add the domain of your sender's address. You get the DNS records to publish, and the domain is verified once
            they are found.
          </EmptyState>
        }
      />
      {dialog === 'add' ? <AddDomain onClose={close} /> : null}
    </>
  )
}
