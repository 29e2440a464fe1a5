import type { ComponentProps } from 'react'
import { Explained } from './explained.tsx'

const kinds = {
  primary: 'bg-accent-fill text-on-accent hover:bg-accent-hover border-transparent',
  plain: 'bg-surface text-text border-line-strong/50 hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-bad-solid text-on-accent border-transparent hover:opacity-90',
}

export interface ButtonProps extends ComponentProps<'button'> {
  kind?: keyof typeof kinds
  /** Shows that the action is in progress, and ignores further clicks. */
  busy?: boolean
}

/** A button of the console; its default type is `button`. */
export function Button({ kind = 'plain', busy = false, className = '', children, onClick, ...given }: ButtonProps) {
  // A disabled button with a reason stays reachable by keyboard, so that the reason is read out.
  const { disabled, ...others } = given
  const isExplained = disabled && given.title !== undefined
  const rest = isExplained ? others : given
  const isInert = busy || isExplained
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={isInert || undefined}
      onClick={isInert ? (event) => event.preventDefault() : onClick}
      className={`inline-flex min-h-[30px] items-center justify-center gap-1.5 rounded-md border px-2.5 text-sm font-medium whitespace-nowrap disabled:opacity-50 ${kinds[kind]} ${busy ? 'opacity-60' : isExplained ? 'opacity-50' : ''} ${className}`}
    >
      {children}
    </button>
  )
  return isExplained ? <Explained reason={given.title ?? ''}>{button}</Explained> : button
}

/** A button with only an icon; `label` is its accessible name and its hint. */
export function IconButton({ label, className = '', ...rest }: { label: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-[30px] items-center justify-center rounded-md text-soft hover:bg-hover hover:text-text ${className}`}
      {...rest}
    />
  )
}
