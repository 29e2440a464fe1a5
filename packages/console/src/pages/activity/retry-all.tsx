import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { Problems } from '../../ui/error-state.tsx'
import { numberText } from '../../ui/number-text.ts'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { Filters } from './filters.tsx'
import { useRetryCount, useRetryJobActions } from './retry-job-queries.ts'

/** Retries the items that match the filters, after counting them and a confirmation. */
export function RetryAll({ filters }: { filters: Filters }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <PermittedButton needs="activity:retry" onClick={() => setOpen(true)}>
        <RotateCcw size={14} aria-hidden />
        Retry all
      </PermittedButton>
      {open ? <RetryAllDialog filters={filters} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function RetryAllDialog({ filters, onClose }: { filters: Filters; onClose: () => void }) {
  const isFiltered = Object.keys(filters).length > 0
  const { data, error } = useRetryCount(filters, isFiltered)
  const { start } = useRetryJobActions()
  const count = data ? `${numberText(data.count)}${data.count_capped ? ' or more' : ''}` : ''
  const items = data?.count === 1 ? 'item' : 'items'
  return (
    <Confirm
      title="Retry all that failed"
      action={data?.count ? `Retry ${count} ${items}` : 'Retry'}
      disabled={data?.count ? undefined : 'There is nothing to retry'}
      onConfirm={() => start.mutateAsync(filters)}
      onClose={onClose}
    >
      {isFiltered ? <FilterList filters={filters} /> : null}
      {!isFiltered ? (
        <p>Filter the list first, for example by status or by time, so that not everything is retried.</p>
      ) : error ? (
        <Problems error={error} />
      ) : data ? (
        <p>
          {data.count === 0
            ? 'No item that matches these filters can be retried.'
            : `${count} ${items} that failed ${data.count === 1 ? 'matches' : 'match'} these filters. They are sent again, at a limited rate. You can cancel on the way.`}
        </p>
      ) : (
        <Skeleton lines={1} />
      )}
    </Confirm>
  )
}

function FilterList({ filters }: { filters: Filters }) {
  return (
    <ul className="mb-3 flex flex-wrap gap-1.5">
      {Object.entries(filters).map(([name, value]) => (
        <li key={name} className="max-w-full rounded bg-sunken px-1.5 py-0.5 text-xs [overflow-wrap:anywhere]">
          {name}: <PlainText className="text-text">{value}</PlainText>
        </li>
      ))}
    </ul>
  )
}
