import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { OperatorName } from '../../ui/operator-name.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { isUnfinished, type RetryJob, useRetryJobActions, useRetryJobs } from './retry-job-queries.ts'

const shownMs = 10 * 60_000

/** Running jobs, and the results of jobs that have just ended. */
export function RetryJobs() {
  const { data = [] } = useRetryJobs()
  const [dismissed, setDismissed] = useState<readonly string[]>([])
  const jobs = data.filter((job) => !dismissed.includes(job.retry_id) && (isUnfinished(job) || isFresh(job)))
  if (jobs.length === 0) return null
  return (
    <ul aria-label="Retry jobs" className="mb-3 rounded-lg border border-line bg-surface">
      {jobs.map((job) => (
        <li
          key={job.retry_id}
          className="flex min-h-11 items-center gap-3 border-b border-line px-4 py-1 last:border-b-0"
        >
          <Progress job={job} />
          {isUnfinished(job) ? (
            <Cancel job={job} />
          ) : (
            <IconButton label="Dismiss" onClick={() => setDismissed([...dismissed, job.retry_id])}>
              <X size={14} aria-hidden />
            </IconButton>
          )}
        </li>
      ))}
    </ul>
  )
}

const isFresh = ({ finished_at }: RetryJob) => finished_at !== null && Date.now() - Date.parse(finished_at) < shownMs

function Progress({ job }: { job: RetryJob }) {
  const { retry_id, count, processed, requested_by } = job
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
      <progress
        aria-label={`Progress of retry job ${retry_id}`}
        max={Math.max(count, processed, 1)}
        value={isUnfinished(job) ? processed : Math.max(count, processed, 1)}
        className="h-1.5 w-40"
      />
      <span className="tabular-nums">{textOf(job)}</span>
      <span className="text-soft">
        by <OperatorName id={requested_by} />
      </span>
    </div>
  )
}

/** @returns for example `Retrying: 120 of 500, 3 skipped` */
function textOf({ status, count, count_capped, processed, retried, skipped }: RetryJob): string {
  const left = skipped > 0 ? `, ${skipped} skipped` : ''
  const all = `${count}${count_capped ? ' or more' : ''}`
  if (status === 'waiting') return `Retry of ${all} waits for another job`
  if (status === 'running') return `Retrying: ${processed} of ${all}${left}`
  if (status === 'cancelled') return `Retry cancelled after ${processed} of ${all}${left}`
  return `Retried ${retried} of ${all}${left}`
}

function Cancel({ job: { retry_id } }: { job: RetryJob }) {
  const { cancel } = useRetryJobActions()
  return (
    <PermittedButton needs="activity:retry" busy={cancel.isPending} onClick={() => cancel.mutate(retry_id)}>
      Cancel
    </PermittedButton>
  )
}
