import { ChevronLeft } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { useHotkeys } from './hotkeys.ts'

/** A link to the list, above the title of a record. `Esc` follows it too. */
export function BackLink({ to, children }: { to: string; children: string }) {
  const navigate = useNavigate()
  const back = () => void navigate(to)
  useHotkeys({ Escape: back })
  return (
    <Link to={to} className="mb-1 -ml-1 inline-flex items-center gap-0.5 text-soft hover:text-text">
      <ChevronLeft size={14} aria-hidden />
      {children}
    </Link>
  )
}
