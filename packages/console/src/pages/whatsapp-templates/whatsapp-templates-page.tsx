import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { answer, api } from '../../api/client.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { useWhatsAppTemplateList, type WhatsAppTemplate, whatsAppTemplatesKey } from '../../api/whatsapp-templates.ts'
import { useAddressFilters } from '../../ui/address-filters.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { useCursor } from '../../ui/pager.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { timeColumn } from '../../ui/time-column.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useProviders } from '../providers/queries.ts'
import { TemplateDrawer } from './template-drawer.tsx'
import { stateOf } from './words.ts'

/** The message templates of the WhatsApp accounts, with the carrier's report on each. */
export function WhatsAppTemplatesPage() {
  const address = useAddressFilters<{ find?: string }>(['find'])
  const list = useWhatsAppTemplateList(address.filters.find ?? '', useCursor())
  const { data: providers } = useProviders({ channel: 'whatsapp' }, undefined)
  const sync = useSync()
  const names = useMemo(
    () => new Map(providers?.items.map(({ provider_id, name }) => [provider_id, name])),
    [providers],
  )
  const columns = useMemo(() => columnsWith(names), [names])
  const { provider, name, language } = useParams()
  const openId = provider && name && language && idOf({ provider_id: provider, name, language })
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const go = (rest = '') => void navigate({ pathname: `/whatsapp-templates${rest}`, search: search.toString() })
  return (
    <>
      <ListPage
        title="WhatsApp templates"
        lead="What WhatsApp approved for your accounts. Only approved templates are sent. The list updates by itself."
        actions={
          <Button busy={sync.isPending} onClick={() => sync.mutate()}>
            <RefreshCw size={14} aria-hidden />
            Sync now
          </Button>
        }
        address={address}
        searchBy="find"
        searchLabel="Part of a name"
        list={list}
        columns={columns}
        rowId={idOf}
        onOpen={(template) => go(`/${idOf(template)}`)}
        openId={openId}
        noneFound="No template has this in its name"
        noneYet={providers?.items.length === 0 ? <NoAccount /> : <NoTemplates />}
      />
      {openId && list.data ? (
        <TemplateDrawer
          key={openId}
          template={list.data.items.find((item) => idOf(item) === openId)}
          providerNames={names}
          onClose={() => go()}
        />
      ) : null}
    </>
  )
}

/** Also its path below the page. */
const idOf = ({
  provider_id,
  name,
  language,
}: Pick<WhatsAppTemplate, 'name' | 'language'> & { provider_id: string }): string =>
  [provider_id, name, language].map(encodeURIComponent).join('/')

const columnsWith = (providerNames: ReadonlyMap<string, string>): Column<WhatsAppTemplate>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => <code className="block truncate font-mono text-xs">{name}</code>,
    grow: 'always',
  },
  { id: 'language', header: 'Language', cell: ({ language }) => language },
  { id: 'category', header: 'Category', cell: ({ category }) => stateOf(category).name, wide: true },
  {
    id: 'state',
    header: 'State',
    cell: ({ status }) => <Badge tone={stateOf(status).tone}>{stateOf(status).name}</Badge>,
  },
  {
    id: 'quality',
    header: 'Quality',
    cell: ({ quality }) => (quality ? stateOf(quality).name : <span className="text-faint">Not rated</span>),
    wide: true,
  },
  {
    id: 'provider',
    header: 'Provider',
    cell: ({ provider_id }) => (
      <Link to={`/providers/${provider_id}`} className="text-accent hover:underline">
        <PlainText>{providerNames.get(provider_id) ?? provider_id}</PlainText>
      </Link>
    ),
    wide: true,
  },
  timeColumn('Reported', ({ reported_at }) => reported_at, { wide: true }),
]

/** Requests a synchronisation of the accounts. Its results appear with one of the next polls. */
function useSync() {
  return useAction({
    mutationFn: () => answer(api.POST('/api/v1/whatsapp/templates/sync', { headers: withNewKey() })),
    failure: 'Not synchronized',
    refreshes: whatsAppTemplatesKey,
    onSuccess: ({ providers }) => {
      const accounts = `${providers} ${providers === 1 ? 'account is' : 'accounts are'}`
      showToast({ text: providers === 0 ? 'There is no WhatsApp account to read.' : `${accounts} being read.` })
    },
  })
}

const link = 'text-accent underline underline-offset-2'

function NoAccount() {
  return (
    <EmptyState title="No WhatsApp account yet">
      <Link to="/providers/new" className={link}>
        Add a provider
      </Link>{' '}
      of the kind WhatsApp Cloud API; its templates appear here within seconds.
    </EmptyState>
  )
}

function NoTemplates() {
  return (
    <EmptyState title="No templates yet">
      Create one in the WhatsApp manager of the account. It appears here when WhatsApp reports it, or with Sync now.
    </EmptyState>
  )
}
