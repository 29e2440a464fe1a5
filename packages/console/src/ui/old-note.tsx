import { useGatewayAway } from '../api/connection.ts'
import { Time } from './time.tsx'

interface OldNoteProps {
  of: {
    data: unknown
    error: unknown
    /** When `data` was read. */
    dataUpdatedAt: number
  }
}

/** Says how old data is that could not be read again. While the gateway is away, the banner says it. */
export function OldNote({ of: query }: OldNoteProps) {
  const isAway = useGatewayAway()
  const { data, error } = query
  if (isAway || !error || !data) return null
  return (
    <p role="status" className="border-b border-line bg-warn-fill px-4 py-2 text-warn [overflow-wrap:anywhere]">
      {/* Read only here: a query draws its page again when a value changes that was read. */}
      Read <Time at={new Date(query.dataUpdatedAt).toISOString()} />. It could not be read again:{' '}
      {error instanceof Error ? error.message : String(error)}
    </p>
  )
}
