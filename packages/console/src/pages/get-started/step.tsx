import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

interface StepProps {
  number: number
  title: string
  done: boolean
  /** The result of the step, shown instead of its instructions. */
  result?: ReactNode
  children: ReactNode
}

/** A step on the way to the first message. */
export function Step({ number, title, done, result, children }: StepProps) {
  return (
    <li className="flex gap-3 border-b border-line px-4 py-3.5 last:border-b-0">
      <span
        aria-hidden
        className={`mt-px flex size-5 shrink-0 items-center justify-center rounded-full text-xs font-medium ${done ? 'bg-good-fill text-good' : 'bg-quiet-fill text-soft'}`}
      >
        {done ? <Check size={13} /> : number}
      </span>
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <h2 className="font-medium">
          {title}
          {done ? <span className="sr-only">: done</span> : null}
        </h2>
        <div className="text-soft">{done ? result : children}</div>
      </div>
    </li>
  )
}
