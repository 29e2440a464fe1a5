import type { Tone } from '../../ui/badge.tsx'

const tones: Record<string, Tone> = {
  approved: 'good',
  pending: 'busy',
  in_appeal: 'busy',
  paused: 'warn',
  rejected: 'bad',
  disabled: 'bad',
}

/** A state that the carrier reports, as a word and a tone. Carriers add states, so others are shown as they are. */
export function stateOf(status: string): { name: string; tone: Tone } {
  const text = status.replaceAll('_', ' ')
  return { name: text.charAt(0).toUpperCase() + text.slice(1), tone: tones[status] ?? 'quiet' }
}
