import type { ReactNode } from 'react'

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 24 24" width="1em" height="1em" aria-hidden="true" focusable="false">
      {children}
    </svg>
  )
}

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const

export function BellIcon() {
  return (
    <Icon>
      <path {...line} d="M6 9a6 6 0 0 1 12 0c0 6 2.5 7.5 2.5 7.5h-17S6 15 6 9m4 11a2.2 2.2 0 0 0 4 0" />
    </Icon>
  )
}

export function TickIcon() {
  return (
    <Icon>
      <path {...line} d="m5 13 4.5 4.5L19 7" />
    </Icon>
  )
}

export function DotIcon() {
  return (
    <Icon>
      <circle cx="12" cy="12" r="5" fill="currentColor" />
    </Icon>
  )
}

export function CrossIcon() {
  return (
    <Icon>
      <path {...line} d="m6 6 12 12M18 6 6 18" />
    </Icon>
  )
}
