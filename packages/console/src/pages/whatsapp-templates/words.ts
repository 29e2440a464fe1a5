import type { Tone } from '../../ui/badge.tsx'

const tones: Record<string, Tone> = {
  approved: 'good',
  pending: 'busy',
  in_appeal: 'busy',
  paused: 'warn',
  rejected: 'bad',
  disabled: 'bad',
}

/** The word and tone of a state. Unknown states are shown unchanged, because carriers add states. */
export function stateOf(status: string): { name: string; tone: Tone } {
  const text = status.replaceAll('_', ' ')
  return { name: text.charAt(0).toUpperCase() + text.slice(1), tone: tones[status] ?? 'quiet' }
}
