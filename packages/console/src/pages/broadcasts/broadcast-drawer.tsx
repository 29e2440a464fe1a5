import { Link } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { ApplicationName } from '../../ui/application-name.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { numberText } from '../../ui/number-text.ts'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { type Broadcast, useBroadcast, useControl } from './queries.ts'
import { Progress, StateBadge } from './words.tsx'

/** A broadcast with its progress, and the buttons that pause, resume and cancel it. */
export function BroadcastDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useBroadcast(id)
  const { dialog, show, close } = useUrlDialog<'cancel'>()
  return (
    <Drawer
      title="Broadcast"
      onClose={onClose}
      actions={data ? <Buttons broadcast={data} onCancel={() => show('cancel')} /> : undefined}
    >
      {data ? (
        <Details broadcast={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
      {dialog === 'cancel' ? <Cancel id={id} onClose={close} /> : null}
    </Drawer>
  )
}

function Buttons({ broadcast, onCancel }: { broadcast: Broadcast; onCancel: () => void }) {
  const { broadcast_id, status } = broadcast
  const control = useControl(broadcast_id)
  const button = { needs: 'activity:retry', busy: control.isPending } as const
  if (status === 'cancelled') return null
  return (
    <>
      {status === 'running' ? (
        <PermittedButton {...button} onClick={() => control.mutate('pause')}>
          Pause
        </PermittedButton>
      ) : null}
      {status === 'paused' ? (
        <PermittedButton {...button} onClick={() => control.mutate('resume')}>
          Resume
        </PermittedButton>
      ) : null}
      <PermittedButton {...button} onClick={onCancel}>
        Cancel the broadcast
      </PermittedButton>
    </>
  )
}

function Details({ broadcast }: { broadcast: Broadcast }) {
  const { broadcast_id, list_id, application_id, channel, event_key, status, accepted, refusals } = broadcast
  return (
    <Facts>
      <Fact name="State">
        <StateBadge status={status} />
      </Fact>
      <Fact name="Progress">
        <Progress broadcast={broadcast} />
      </Fact>
      <Fact name="Notifications">
        <Link to={`/activity?broadcast_id=${broadcast_id}`} className="text-accent underline underline-offset-2">
          {numberText(accepted)} in the activity
        </Link>
      </Fact>
      {Object.entries(refusals).map(([code, count]) => (
        <Fact key={code} name="Refused">
          {numberText(count)} <code className="font-mono text-xs">{code}</code>
        </Fact>
      ))}
      <Fact name="Channel">{channelNames[channel]}</Fact>
      {event_key === null ? null : <Fact name="Event">{event_key}</Fact>}
      <Fact name="Application">
        <ApplicationName id={application_id} />
      </Fact>
      <Fact name="Begun">
        <ExactTime at={broadcast.created_at} />
      </Fact>
      {broadcast.finished_at === null ? null : (
        <Fact name="Ended">
          <ExactTime at={broadcast.finished_at} />
        </Fact>
      )}
      <Fact name="List">
        <CopyableId id={list_id} what="id of the list" />
      </Fact>
      <Fact name="Id">
        <CopyableId id={broadcast_id} what="id" />
      </Fact>
    </Facts>
  )
}

function Cancel({ id, onClose }: { id: string; onClose: () => void }) {
  const control = useControl(id)
  const confirm = async () => {
    await control.mutateAsync('cancel')
    onClose()
  }
  return (
    <Confirm
      title="Cancel the broadcast?"
      action="Cancel the broadcast"
      keep="Keep the broadcast"
      danger
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>No further members get a notification, and notifications that wait are not sent. This cannot be undone.</p>
    </Confirm>
  )
}
