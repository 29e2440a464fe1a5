import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { answer, api } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { numberText } from '../../ui/number-text.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { EditKey } from './edit-key.tsx'
import { stateOf } from './key-words.ts'
import { type ApiKey, useKey, useRefreshApplications } from './queries.ts'
import { RotateKey } from './rotate-key.tsx'

interface KeyDrawerProps {
  applicationId: string
  keyId: string
  /** Receives the key that a rotation created. */
  onSecret: (apiKey: string) => void
  onClose: () => void
}

type Dialog = 'edit' | 'rotate' | 'revoke'

/** One key: its permissions, its rotation and its revocation. */
export function KeyDrawer({ applicationId, keyId, onSecret, onClose }: KeyDrawerProps) {
  const { data: key, error, refetch } = useKey(applicationId, keyId)
  const { dialog, show, close } = useUrlDialog<Dialog>()
  const active = key?.status === 'active' ? key : undefined
  return (
    <Drawer
      title={key?.name ?? 'API key'}
      onClose={onClose}
      actions={active ? <Actions apiKey={active} onAsk={show} /> : null}
    >
      {key ? (
        <Details apiKey={key} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
      {active && dialog === 'edit' ? <EditKey apiKey={active} onClose={close} /> : null}
      {/* Also when the key is rotated already: if the answer was lost, a repetition gets the new key again. */}
      {key && dialog === 'rotate' ? (
        <RotateKey
          apiKey={key}
          onRotated={(secret) => {
            onClose()
            onSecret(secret)
          }}
          onClose={close}
        />
      ) : null}
      {active && dialog === 'revoke' ? <Revoke apiKey={active} onClose={close} /> : null}
    </Drawer>
  )
}

function Actions({ apiKey, onAsk }: { apiKey: ApiKey; onAsk: (dialog: Dialog) => void }) {
  return (
    <>
      <Button onClick={() => onAsk('edit')}>
        <Pencil size={14} aria-hidden />
        Edit
      </Button>
      {apiKey.expires_at ? null : (
        <Button onClick={() => onAsk('rotate')}>
          <RefreshCw size={14} aria-hidden />
          Rotate
        </Button>
      )}
      <Button onClick={() => onAsk('revoke')}>
        <Trash2 size={14} aria-hidden />
        Revoke
      </Button>
    </>
  )
}

function Details({ apiKey }: { apiKey: ApiKey }) {
  const { name, tone } = stateOf(apiKey)
  return (
    <Facts>
      <Fact name="Status">
        <Badge tone={tone}>{name}</Badge>
      </Fact>
      <Fact name="Mode">{apiKey.mode === 'test' ? 'Test: the sandbox only' : 'Live'}</Fact>
      <Fact name="Permissions">
        {apiKey.permissions.length === 0 ? 'None' : null}
        <ul>
          {apiKey.permissions.map((permission) => (
            <li key={permission}>
              <code className="font-mono text-xs">{permission}</code>
            </li>
          ))}
        </ul>
      </Fact>
      <Fact name="Rate limit">
        {apiKey.rate_limit_per_second === null
          ? 'The default of the installation'
          : `${numberText(apiKey.rate_limit_per_second)} requests a second`}
      </Fact>
      {apiKey.expires_at ? (
        <Fact name="Works until">
          <ExactTime at={apiKey.expires_at} />
        </Fact>
      ) : null}
      {apiKey.revoked_at ? (
        <Fact name="Revoked">
          <ExactTime at={apiKey.revoked_at} />
        </Fact>
      ) : null}
      <Fact name="Created">
        <ExactTime at={apiKey.created_at} />
      </Fact>
      <Fact name="Id">
        <CopyableId id={apiKey.key_id} what="key id" />
      </Fact>
    </Facts>
  )
}

function Revoke({ apiKey: { application_id, key_id, name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const refresh = useRefreshApplications()
  const revoke = async () => {
    const path = { application_id, key_id }
    await answer(api.DELETE('/api/v1/applications/{application_id}/keys/{key_id}', { params: { path } }))
    void refresh()
    showToast({ tone: 'good', text: 'The key is revoked.' })
  }
  return (
    <Confirm title="Revoke this key?" action="Revoke the key" danger onConfirm={revoke} onClose={onClose}>
      Requests with <PlainText className="font-medium text-text">{name}</PlainText> are refused within a second. This
      cannot be undone. To replace a key without an interruption, rotate it.
    </Confirm>
  )
}
