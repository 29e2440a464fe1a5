import type { ReactNode } from 'react'

const tones = {
  good: 'bg-good-fill text-good',
  bad: 'bg-bad-fill text-bad',
  warn: 'bg-warn-fill text-warn',
  busy: 'bg-busy-fill text-busy',
  quiet: 'bg-quiet-fill text-soft',
}
export type Tone = keyof typeof tones

interface BadgeProps {
  tone?: Tone
  className?: string
  children: ReactNode
}

/** A state in one word, so that its meaning does not depend on the colour alone. */
export function Badge({ tone = 'quiet', className = '', children }: BadgeProps) {
  return <span className={`badge ${tones[tone]} ${className}`}>{children}</span>
}
