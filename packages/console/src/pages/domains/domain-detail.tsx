import { RefreshCw } from 'lucide-react'
import { useNavigate } from 'react-router'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { ErrorState, Problems } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { Carriers } from './carriers.tsx'
import { useDeleteDomain, useDomain, useVerify } from './queries.ts'
import { RecordCard } from './record-card.tsx'
import { type Domain, domainStatuses } from './words.ts'

/** One domain: the records to publish and their states. */
export function DomainDetail({ id }: { id: string }) {
  const { data: domain, error, refetch } = useDomain(id)
  const verify = useVerify()
  const { dialog, show, close } = useUrlDialog<'delete'>()
  return (
    <>
      <BackLink to="/domains">Domains</BackLink>
      <PageHeader title={domain?.domain ?? 'Domain'} lead={domain ? <State domain={domain} /> : <Skeleton lines={2} />}>
        <Button
          kind="quiet"
          disabled={!domain}
          title={domain ? undefined : 'The domain is not loaded'}
          onClick={() => show('delete')}
        >
          Delete
        </Button>
        <Button
          kind="primary"
          disabled={!domain}
          title={domain ? undefined : 'The domain is not loaded'}
          busy={verify.isPending}
          onClick={() => verify.mutate(id)}
        >
          <RefreshCw size={14} aria-hidden />
          Verify now
        </Button>
      </PageHeader>
      {verify.error ? (
        <div className="pb-4">
          <Problems error={verify.error} />
        </div>
      ) : null}
      <Panel>
        {domain ? (
          domain.records.map((record) => (
            <RecordCard
              key={`${record.type} ${record.name} ${record.value}`}
              record={record}
              carriers={domain.carriers}
            />
          ))
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <div className="p-4">
            <Skeleton lines={12} />
          </div>
        )}
      </Panel>
      {domain && domain.carriers.length > 0 ? <Carriers carriers={domain.carriers} /> : null}
      {domain && dialog === 'delete' ? <DeleteDomain domain={domain} onClose={close} /> : null}
    </>
  )
}

function State({ domain: { status, verified_at, last_checked_at } }: { domain: Domain }) {
  const { name, tone, means } = domainStatuses[status]
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 pt-1">
        <Badge tone={tone}>{name}</Badge>
        <span className="text-faint">
          {last_checked_at ? (
            <>
              Looked up <Time at={last_checked_at} />
            </>
          ) : (
            'Not looked up yet'
          )}
          {verified_at ? (
            <>
              , verified <Time at={verified_at} />
            </>
          ) : null}
        </span>
      </p>
      <p className="pt-1">{means}</p>
    </>
  )
}

function DeleteDomain({ domain: { domain, domain_id }, onClose }: { domain: Domain; onClose: () => void }) {
  const remove = useDeleteDomain()
  const navigate = useNavigate()
  const confirm = async () => {
    await remove.mutateAsync(domain_id)
    await navigate('/domains', { replace: true })
  }
  return (
    <Confirm title="Delete the domain?" action="Delete the domain" danger onConfirm={confirm} onClose={onClose}>
      Nothing can be sent from addresses of <strong className="text-text [overflow-wrap:anywhere]">{domain}</strong> any
      more, and its signing key is lost. Adding the domain again makes new records to publish.
    </Confirm>
  )
}
