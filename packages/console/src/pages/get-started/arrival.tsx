import type { components } from '@notify/sdk'
import { Link } from 'react-router'
import { channelNames } from '../../channels/table.ts'
import { Badge } from '../../ui/badge.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { statuses } from '../activity/words.ts'

/** The newest message, with its state. */
export function Arrival({ item }: { item: components['schemas']['ActivityItem'] }) {
  const { tone, name } = statuses[item.status]
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Badge tone={tone}>{name}</Badge>
      <span>
        {channelNames[item.channel]} to <PlainText>{item.recipient_masked}</PlainText>
      </span>
      <Link to={`/activity/${item.transaction_id}`} className="text-accent underline underline-offset-2">
        Open it in the activity
      </Link>
    </span>
  )
}
