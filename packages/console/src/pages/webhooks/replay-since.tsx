import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { localText, utcText } from '../../ui/local-time.ts'
import { numberText } from '../../ui/number-text.ts'
import { ExactTime } from '../../ui/time.tsx'
import { useReplaySince } from './delivery-queries.ts'
import type { Subscription } from './words.ts'

const dayMs = 24 * 3600_000

/** Counts the deliveries exhausted since a moment, and replays them after a confirmation. */
export function ReplaySince({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const draft = useDraft(
    `replay:${subscription.subscription_id}`,
    localText(new Date(Date.now() - dayMs).toISOString()),
  )
  const since = draft.value
  const close = () => {
    draft.clear()
    onClose()
  }
  const [found, setFound] = useState<{ since: string; count: number }>()
  const { count, start } = useReplaySince(subscription.subscription_id)
  const submit = async () => {
    if (!found) {
      // The service reports the error of a time that the browser cannot parse.
      const moment = utcText(since) || since
      setFound({ since: moment, count: (await count.mutateAsync(moment)) ?? 0 })
      return
    }
    await start.mutateAsync(found.since)
    close()
  }
  if (found?.count === 0) {
    return (
      <Dialog title="Replay since" onClose={close}>
        <p className="text-soft">
          No delivery was exhausted since <ExactTime at={found.since} />.
        </p>
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={() => setFound(undefined)}>Choose another time</Button>
          <Button kind="primary" onClick={close}>
            Close
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="Replay since" onClose={close}>
      <Form action={found ? `Replay ${deliveries(found.count)}` : 'Count'} onSubmit={submit} onCancel={close}>
        {found ? (
          <p className="text-soft">
            <strong className="text-text">{deliveries(found.count)}</strong> exhausted since{' '}
            <ExactTime at={found.since} />. They are sent again in the background, under the same ids, at a limited
            rate.
          </p>
        ) : (
          <TextField
            label="Exhausted deliveries created since"
            name="since"
            type="datetime-local"
            value={since}
            onChange={(event) => draft.set(event.target.value)}
            hint="In the time zone of this browser. They are counted first."
          />
        )}
      </Form>
    </Dialog>
  )
}

const deliveries = (count: number) => `${numberText(count)} ${count === 1 ? 'delivery' : 'deliveries'}`
