import { Plus } from 'lucide-react'
import { useNavigate, useParams } from 'react-router'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterText } from '../../ui/filter-controls.tsx'
import { ListPanel } from '../../ui/list-panel.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
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

/** The domains that email is sent from. */
export function DomainsPage() {
  const { id } = useParams()
  return id ? <DomainDetail key={id} id={id} /> : <DomainList />
}

function DomainList() {
  const navigate = useNavigate()
  const { filters, set, clear } = useAddressFilters<{ find?: string }>(['find'])
  const find = filters.find ?? ''
  const list = useDomains(find, useCursor())
  const { dialog, show, close } = useUrlDialog<'add'>()
  const add = (
    <Button kind="primary" onClick={() => show('add')}>
      <Plus size={14} aria-hidden />
      Add a domain
    </Button>
  )
  return (
    <>
      <PageHeader title="Domains" lead="Email is sent from addresses of verified domains only.">
        {add}
      </PageHeader>
      <search className="flex flex-wrap gap-2 pb-3">
        <FilterText label="Part of a domain" type="search" value={find} onChange={(value) => set('find', value)} />
      </search>
      <ListPanel
        list={list}
        label="Domains"
        columns={columns}
        rowId={({ domain_id }) => domain_id}
        onOpen={({ domain_id }) => void navigate(`/domains/${domain_id}`)}
        expected={6}
        empty={
          find ? (
            <EmptyState title="No domain has this in its name" action={<Button onClick={clear}>Show all</Button>} />
          ) : (
            <EmptyState title="No domain has been added yet" action={add}>
              Add the domain of your sender's address. You get the DNS records to publish, and the domain is verified
              once they are found.
            </EmptyState>
          )
        }
      />
      {dialog === 'add' ? <AddDomain onClose={close} /> : null}
    </>
  )
}
