import { Link } from 'react-router'
import { useHasPermission } from '../../api/me.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { Drawer, Fact, Facts } from '../../ui/drawer.tsx'
import { MaskedRecipient } from '../../ui/masked-recipient.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ExactTime } from '../../ui/time.tsx'
import { useUrlDialog } from '../../ui/url-dialog.ts'
import { useRemoveSuppression } from './queries.ts'
import { channelNames, reasons, type Suppression } from './words.ts'

interface SuppressionDrawerProps {
  /** undefined when this page of the list does not have it. */
  suppression: Suppression | undefined
  onClose: () => void
}

/** The reason of a suppression, and the button that lifts it. */
export function SuppressionDrawer({ suppression, onClose }: SuppressionDrawerProps) {
  const { dialog, show, close } = useUrlDialog<'remove'>()
  if (!suppression) {
    return (
      <Drawer title="Suppression" onClose={onClose}>
        <EmptyState title="This suppression is not on this page of the list">
          It may have been removed. Search for the whole recipient to find it.
        </EmptyState>
      </Drawer>
    )
  }
  const { channel, recipient_masked } = suppression
  const remove = (
    <PermittedButton needs="providers:manage" onClick={() => show('remove')}>
      Remove
    </PermittedButton>
  )
  return (
    <Drawer title={`${channelNames[channel]} to ${recipient_masked}`} onClose={onClose} actions={remove}>
      <Details suppression={suppression} />
      {dialog === 'remove' ? <Remove suppression={suppression} onRemoved={onClose} onClose={close} /> : null}
    </Drawer>
  )
}

function Details({ suppression }: { suppression: Suppression }) {
  const { suppression_id, channel, reason, source_notification_id, created_at } = suppression
  const maySeeActivity = useHasPermission()('activity:read')
  return (
    <Facts>
      <Fact name="Reason">
        {reasons[reason].name} <span className="block text-faint">{reasons[reason].means}</span>
      </Fact>
      <Fact name="Recipient">
        <MaskedRecipient of={suppression} />
      </Fact>
      <Fact name="Channel">{channelNames[channel]}</Fact>
      <Fact name="Added">
        <ExactTime at={created_at} />
      </Fact>
      {source_notification_id ? (
        <Fact name="Message">
          {maySeeActivity ? (
            <Link to={`/activity/${source_notification_id}`} className="text-accent underline underline-offset-2">
              The message that caused it
            </Link>
          ) : (
            <CopyableId id={source_notification_id} what="id of the message" />
          )}
        </Fact>
      ) : null}
      <Fact name="Id">
        <CopyableId id={suppression_id} what="id" />
      </Fact>
    </Facts>
  )
}

interface RemoveProps {
  suppression: Suppression
  onRemoved: () => void
  onClose: () => void
}

function Remove({ suppression: { suppression_id, recipient_masked, reason }, onRemoved, onClose }: RemoveProps) {
  const remove = useRemoveSuppression()
  const confirm = async () => {
    await remove.mutateAsync(suppression_id)
    onRemoved()
  }
  return (
    <Confirm
      title="Remove the suppression?"
      action="Remove the suppression"
      danger={reason !== 'manual'}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        <PlainText className="font-medium text-text">{recipient_masked}</PlainText> can receive messages again.
      </p>
      <p className="pt-2">{reasons[reason].whenRemoved}</p>
    </Confirm>
  )
}
