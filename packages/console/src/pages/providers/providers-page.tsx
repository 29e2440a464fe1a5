import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterChoice } from '../../ui/filter-choice.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { NewProvider } from './new-provider.tsx'
import { ProviderDrawer } from './provider-drawer.tsx'
import { type CreatedProvider, type Provider, type ProviderFilters, useProviderKinds, useProviders } from './queries.ts'

const columns: Column<Provider>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <PlainText className="block truncate">{name}</PlainText>,
    grow: 'always',
  },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => channelNames[channel] },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => <code className="font-mono text-xs">{kind}</code>, wide: true },
  { id: 'priority', header: 'Priority', cell: ({ priority }) => priority, align: 'right' },
  {
    id: 'rate',
    header: 'Rate limit',
    cell: ({ rate_limit_per_second: rate }) => (rate === null ? <span className="text-faint">None</span> : `${rate}/s`),
    align: 'right',
    wide: true,
  },
  timeColumn('Changed', ({ updated_at }) => updated_at, { wide: true }),
]

/** The carrier accounts of the tenant, and the signers of its webhooks. */
export function ProvidersPage() {
  const { id } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const [created, setCreated] = useState<CreatedProvider>()
  const [rotated, setRotated] = useState<string>()
  const address = useAddressFilters<ProviderFilters>(['find', 'channel'])
  const list = useProviders(address.filters, useCursor())
  const go = (path: string) => {
    const params = new URLSearchParams(search)
    params.delete('dialog')
    void navigate({ pathname: path, search: params.toString() })
  }
  const add = (
    <Button kind="primary" onClick={() => go('/providers/new')}>
      <Plus size={14} aria-hidden />
      Add a provider
    </Button>
  )
  const { data: kinds } = useProviderKinds()
  // In-app notifications need no provider, for example.
  const offered = [...new Set(kinds?.items.map((kind) => kind.channel))]
  const once = created?.secret ?? created?.verify_token
  return (
    <>
      <ListPage
        title="Providers"
        lead="Accounts that messages are sent through. Of a channel the one with the lowest priority is tried first."
        actions={add}
        address={address}
        searchBy="find"
        searchLabel="Part of a name or kind"
        filters={
          <FilterChoice
            label="Channel"
            options={offered.map((value) => ({ value, label: channelNames[value] }))}
            {...address.field('channel')}
          />
        }
        list={list}
        columns={columns}
        rowId={({ provider_id }) => provider_id}
        onOpen={({ provider_id }) => go(`/providers/${provider_id}`)}
        openId={id === 'new' ? undefined : id}
        expected={6}
        noneFound={nothingFound(address.filters)}
        noneFoundHint="Choose another channel, or add a provider."
        noneYet={
          <EmptyState title="No providers yet" action={add}>
            Add the account of a carrier; messages are sent through it within a second. Messages of test keys need none.
          </EmptyState>
        }
      />
      {id === 'new' ? (
        <NewProvider
          onCreated={(made) => {
            const hasSecret = made.secret !== undefined || made.verify_token !== undefined
            if (hasSecret) setCreated(made)
            go(hasSecret ? '/providers' : `/providers/${made.provider_id}`)
          }}
          onClose={() => go('/providers')}
        />
      ) : id ? (
        <ProviderDrawer key={id} id={id} onSecret={setRotated} onClose={() => go('/providers')} />
      ) : null}
      {rotated === undefined ? null : (
        <SecretDialog
          title="New signing secret"
          what="signing secret"
          secret={rotated}
          onClose={() => setRotated(undefined)}
        />
      )}
      {once === undefined ? null : (
        <SecretDialog
          title={created?.secret ? 'Signing secret' : 'Verify token'}
          secret={once}
          what={created?.secret ? 'signing secret' : 'verify token'}
          onClose={() => {
            setCreated(undefined)
            go(`/providers/${created?.provider_id}`)
          }}
        />
      )}
    </>
  )
}

const nothingFound = ({ find, channel }: ProviderFilters) =>
  channel && !find ? `No provider for ${channelNames[channel] ?? channel}` : 'No provider matches these filters'
