import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useApplications } from '../../api/applications.ts'
import { channelNames, channelPages } from '../../channels/table.ts'
import { Button } from '../../ui/button.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { DeleteProvider, RotateSecret } from './confirmations.tsx'
import { fieldsOf, titleOf } from './credential-schema.ts'
import { EditProvider } from './edit-provider.tsx'
import { type Provider, type ProviderKind, useProvider, useProviderKinds } from './queries.ts'
import { TestPanel } from './test-panel.tsx'

interface ProviderDrawerProps {
  id: string
  /** Shows a new signing secret. */
  onSecret: (secret: string) => void
  onClose: () => void
}

/** One provider: its settings, its credentials without secrets, and its test. */
export function ProviderDrawer({ id, onSecret, onClose }: ProviderDrawerProps) {
  const { data: provider, error, refetch } = useProvider(id)
  const { data: kinds } = useProviderKinds()
  const kind = kinds?.items.find((one) => one.kind === provider?.kind)
  const { dialog, show, close } = useUrlDialog<'edit'>()
  const isEditing = dialog === 'edit' && kind !== undefined
  const edit =
    kind && !isEditing ? (
      <Button onClick={() => show('edit')}>
        <Pencil size={14} aria-hidden />
        Edit
      </Button>
    ) : null
  return (
    <Drawer title={provider?.name ?? 'Provider'} onClose={onClose} actions={edit}>
      {!provider ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={8} />
        )
      ) : isEditing ? (
        <EditProvider provider={provider} kind={kind} onDone={close} />
      ) : (
        <Details provider={provider} kind={kind} onSecret={onSecret} onClose={onClose} />
      )}
    </Drawer>
  )
}

interface DetailsProps extends Omit<ProviderDrawerProps, 'id'> {
  provider: Provider
  kind: ProviderKind | undefined
}

function Details({ provider, kind, onSecret, onClose }: DetailsProps) {
  const [asked, ask] = useState<'rotate' | 'delete'>()
  const stopAsking = () => ask(undefined)
  return (
    <div className="flex flex-col gap-6">
      <SettingsList provider={provider} kind={kind} />
      <Credentials provider={provider} kind={kind} />
      <TestPanel key={provider.updated_at} providerId={provider.provider_id} channel={provider.channel} />
      <section className="flex flex-wrap gap-2 border-t border-line pt-4">
        {kind?.rotates_secret ? (
          <Button onClick={() => ask('rotate')}>
            <KeyRound size={14} aria-hidden />
            Rotate the secret
          </Button>
        ) : null}
        <Button
          onClick={() => ask('delete')}
          disabled={provider.subscription_id !== null}
          title={provider.subscription_id ? 'Delete the webhook subscription that it signs for' : undefined}
        >
          <Trash2 size={14} aria-hidden />
          Delete the provider
        </Button>
      </section>
      {asked === 'rotate' ? <RotateSecret provider={provider} onSecret={onSecret} onClose={stopAsking} /> : null}
      {asked === 'delete' ? (
        <DeleteProvider
          provider={provider}
          signs={kind?.rotates_secret === true}
          onDeleted={onClose}
          onClose={stopAsking}
        />
      ) : null}
    </div>
  )
}

function SettingsList({ provider, kind }: Pick<DetailsProps, 'provider' | 'kind'>) {
  const { data: applications } = useApplications()
  const { application_id: id } = provider
  const application = applications?.items.find(({ application_id }) => application_id === id)
  return (
    <Facts>
      <Fact name="Kind">
        {channelNames[provider.channel]}, {kind ? titleOf(kind) : provider.kind}
      </Fact>
      <Fact name="Application">{id ? <PlainText>{application?.name ?? id}</PlainText> : 'All applications'}</Fact>
      {provider.subscription_id ? (
        <Fact name="Signs for">
          <CopyableId id={provider.subscription_id} what="id of the subscription" />
        </Fact>
      ) : null}
      <Fact name="Priority">{provider.priority}</Fact>
      {channelPages[provider.channel].hasCarrier ? (
        <>
          <Fact name="Weight">{provider.weight}</Fact>
          <Fact name="Rate limit">
            {provider.rate_limit_per_second === null ? 'None' : `${provider.rate_limit_per_second} in a second`}
          </Fact>
        </>
      ) : null}
      {provider.callback_url ? (
        <Fact name="Callback">
          <CopyableId id={provider.callback_url} what="callback address" />
          <p className="text-xs text-faint">Register it with the carrier, for receipts and replies.</p>
        </Fact>
      ) : null}
      <Fact name="Id">
        <CopyableId id={provider.provider_id} what="id" />
      </Fact>
      <Fact name="Changed">
        <ExactTime at={provider.updated_at} />
      </Fact>
    </Facts>
  )
}

function Credentials({ provider, kind }: Pick<DetailsProps, 'provider' | 'kind'>) {
  const labels = new Map(kind ? fieldsOf(kind).map(({ name, label }) => [name, label]) : [])
  return (
    <section>
      <h3 className="pb-2 font-semibold">Credentials</h3>
      <Facts>
        {Object.entries(provider.credentials).map(([name, value]) => (
          <Fact key={name} name={labels.get(name) ?? name}>
            <PlainText className="font-mono text-xs">{value}</PlainText>
          </Fact>
        ))}
        <Fact name="Changed">
          <ExactTime at={provider.credentials_updated_at} />
        </Fact>
      </Facts>
    </section>
  )
}
